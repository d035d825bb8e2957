-- table: A run
-- system: plasma
-- place: section 2 and the conclusions
-- note: A step here copies and saves nothing, so the shares of the CPU and of transfers have no figure of ours.
WITH
  steps AS (
    SELECT experiment, variant, parameters ->> 'TRIG' AS trig, parameters ->> 'SINES' AS sines, median_us AS us, parameters ->> 'MEMORY' AS memory,
      parameters ->> 'REUSE' AS reuse, block_size
    FROM gpu_trial
    WHERE device = :device AND system = 'plasma' AND problem ->> 'S' = 20000 AND problem ->> 'MODES' = 400),
  rows (place, what, published, here) AS (
    VALUES (1, 'before trigonometry was optimised', '20 min', NULL), (2, 'after it', '7 min', NULL),
      (3, 'before over after', '2.86 (derived)',
        (SELECT printf('%.2f', max(us) FILTER (WHERE trig = 'double_sin_cos') / max(us) FILTER (WHERE trig = 'fast'))
         FROM steps WHERE experiment = 'reuse' AND memory = 'global' AND NOT reuse)),
      (4, 'share of trigonometry', '85 %',
        (SELECT printf('%.1f %%', 100 * (1 - max(us) FILTER (WHERE NOT sines) / max(us) FILTER (WHERE sines)))
         FROM steps WHERE experiment = 'trig_share' AND trig = 'double_sin_cos' AND memory = 'global' AND block_size = 128)),
      (5, 'GPU, CPU, transfers', '90 %, 10 %, 0.01 %', NULL),
      (6, 'over one core', '35 to 100',
        (SELECT printf('%d',
          round(max(us) FILTER (WHERE variant = 'cpu') / max(us) FILTER (WHERE variant = 'modes_and_ions')))
         FROM steps WHERE experiment = 'variants' AND trig = 'sincos')))
SELECT what, published, here FROM rows ORDER BY place;
