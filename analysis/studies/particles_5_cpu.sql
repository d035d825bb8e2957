-- table: One core
-- system: particles
-- place: "Running on the CPU", first edition: 1000 particles, 1000 steps
WITH
  printed (place, program, published, variant, rebuild) AS (
    VALUES (1, 'all pairs', 21, 'serial', NULL), (2, 'lists, every 2 steps', 15, 'serial_lists', 2),
      (3, 'lists, every 5 steps', 9, 'serial_lists', 5)),
  ours AS (
    SELECT variant, CAST(parameters ->> 'REBUILD' AS INTEGER) AS rebuild, median_us / 1e6 AS s FROM gpu_trial
    WHERE device = :device AND system = 'particles' AND experiment = 'editions' AND n = 1000 AND problem ->> 'STEPS' = 1000)
SELECT program, published AS "published, s", round(s, 3) AS "here, s", round(21.0 / published, 2) AS "times as fast, published",
  round((SELECT s FROM ours WHERE variant = 'serial') / s, 2) AS "times as fast, here"
FROM printed LEFT JOIN ours ON ours.variant = printed.variant AND ours.rebuild IS printed.rebuild ORDER BY place;
