-- table: Four shapes of blocks
-- system: particles
-- place: the output of gpu1, first edition, 1000 particles
WITH
  printed (place, x, y, published) AS (VALUES (1, 16, 8, 26.4257), (2, 8, 8, 45.8355), (3, 16, 16, 100.089), (4, 8, 16, 72.7987)),
  ours AS (
    SELECT CAST(parameters ->> 'BLOCK_X' AS INTEGER) AS x, CAST(parameters ->> 'BLOCK_Y' AS INTEGER) AS y, median_us / 1e6 AS s
    FROM gpu_trial
    WHERE device = :device AND system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND n = 1000
      AND problem ->> 'STEPS' = 1000)
SELECT x AS "-bx", y AS "-by", published AS "published, s", round(s, 4) AS "here, s", round(published / s, 1) AS ratio
FROM printed LEFT JOIN ours USING (x, y) ORDER BY place;
