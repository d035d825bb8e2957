-- table: The kernels
-- system: nbody_force_law
-- place: the headings of the text: mean of 1000 runs at 20480 bodies, blocks of 1024
-- note: Speedup is gpu5's time over the kernel's, as in the text. gpu5, v3 and v5 as printed lack a barrier behind each tile, so their
--   results are wrong; the times are those of the same kernels with it. The text does not say at how many bodies v5 is worst;
--   20479 is taken.
WITH
  printed (place, kernel, published, variant, as_published, n, experiment) AS (
    VALUES (1, 'nbodyGPU5', 95.8, 'gpu5_repaired', 'gpu5_as_published', 20480, 'variants'),
      (2, 'v1', 16.5, 'v1', 'v1', 20480, 'variants'),
      (3, 'v3', 14.64, 'v3_repaired', 'v3_as_published', 20480, 'variants'),
      (4, 'v5, best case', 14.64, 'v5_repaired', 'v5_as_published', 20480, 'variants'),
      (5, 'v5, worst case', 15.88, 'v5_repaired', 'v5_as_published', 20479, 'streams')),
  ours AS (
    SELECT experiment, variant, n, min(median_us) / 1e3 AS ms, min(outcome) AS outcome FROM gpu_trial
    WHERE device = :device AND system = 'nbody_force_law' AND block_size = 1024
      AND NOT coalesce(parameters ->> 'FAST_MATH', 0)
    GROUP BY experiment, variant, n),
  base AS (SELECT ms FROM ours WHERE variant = 'gpu5_repaired' AND n = 20480 AND experiment = 'variants')
SELECT kernel, published AS "published, ms", round(ours.ms, 3) AS "here, ms", round(published / ours.ms, 2) AS ratio,
  CASE place WHEN 1 THEN 1 WHEN 2 THEN 5.81 WHEN 5 THEN 6.03 ELSE 6.54 END AS "speedup, as printed",
  round(95.8 / published, 2) AS "speedup of the printed times", round(base.ms / ours.ms, 2) AS "speedup here",
  as_printed.outcome AS "as printed, ends as"
FROM printed
  LEFT JOIN ours ON ours.variant = printed.variant AND ours.n = printed.n AND ours.experiment = printed.experiment
  LEFT JOIN ours AS as_printed ON as_printed.variant = as_published AND as_printed.n = printed.n
    AND as_printed.experiment = printed.experiment
  LEFT JOIN base
ORDER BY place;
