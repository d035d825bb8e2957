-- table: The effects
-- system: plasma
-- place: sections 1.4, 1.5 and 2.1 to 2.4: how much less time a run takes
-- note: Against sin and cos apart, the field in global memory. The model is ours, since the text prints no equations.
WITH
  times AS (
    SELECT experiment, parameters ->> 'TRIG' AS trig, parameters ->> 'MEMORY' AS memory, parameters ->> 'REUSE' AS reuse,
      min(median_us) AS us
    FROM gpu_trial
    WHERE device = :device AND system = 'plasma' AND variant = 'modes_and_ions' AND coalesce(block_size, 128) = 128
      AND experiment IN ('trig_memory', 'variants', 'reuse') AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400
    GROUP BY 1, 2, 3, 4),
  base AS (SELECT experiment, us FROM times WHERE trig = 'double_sin_cos' AND coalesce(memory, 'global') = 'global'
    AND (experiment = 'reuse') = (NOT coalesce(reuse, 1))),
  printed (place, section, what, published, experiment, trig, memory) AS (
    VALUES (1, '1.4', 'shared memory', '1 %', 'trig_memory', 'double_sin_cos', 'shared'),
      (2, '1.4', 'constant memory', '1 %', 'trig_memory', 'double_sin_cos', 'constant'),
      (3, '1.5', 'common subexpressions', '1 %', 'reuse', 'double_sin_cos', 'global'),
      (4, '2.1', 'sinpi and cospi in 4 functions', '2 %', 'variants', 'sinpi_in_4', NULL),
      (5, '2.2', 'sincos', '50 %', 'variants', 'sincos', NULL),
      (6, '2.3', 'a table of arguments that repeat', 'up to 5 %', 'variants', 'repeated', NULL),
      (7, '2.4', 'sinf and cosf', '60 %', 'variants', 'float', NULL),
      (8, '2.4', '__sinf and __cosf', '70 %', 'variants', 'fast', NULL))
SELECT section, what, published,
  (SELECT printf('%.1f %%', 100 * (1 - times.us / base.us)) FROM times JOIN base USING (experiment)
   WHERE times.experiment = printed.experiment AND times.trig = printed.trig
     AND (printed.memory IS NULL OR times.memory = printed.memory) AND (printed.experiment <> 'reuse' OR times.reuse)
   LIMIT 1) AS here
FROM printed ORDER BY place;
