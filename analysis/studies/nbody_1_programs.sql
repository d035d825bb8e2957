-- table: The three programs
-- system: nbody
-- place: "Running it": 4096 bodies
-- note: The text says 6 and 1434 times; its figures are 6.8 and 2697 times. Ours have the same launches: blocks of 32, and of 128 with
--   stride 4.
WITH
  printed (place, program, variant, published) AS (
    VALUES (1, 'nbody', 'serial', 0.081), (2, 'nbody_GPU_basic', 'nbody_parallel', 32.320),
      (3, 'nbody_GPU_shared', 'nbody_shared', 218.453)),
  ours AS (
    SELECT variant, max(value) / 1e9 AS rate FROM gpu_trial
    WHERE device = :device AND system = 'nbody' AND experiment = 'editions' AND n = 4096 GROUP BY variant)
SELECT program, published AS "published, 1e9 interactions/s", round(rate, 3) AS "here, 1e9 interactions/s",
  round(rate / published, 2) AS ratio, round(published / 0.081, 1) AS "published over nbody",
  round(rate / (SELECT rate FROM ours WHERE variant = 'serial'), 1) AS "here over nbody"
FROM printed LEFT JOIN ours USING (variant) ORDER BY place;
