-- table: Flat blocks
-- system: particles
-- place: "Effect of the block's dimensions on the time", 1000 particles: seconds by x (rows) and y (columns)
-- note: 16 x 8 is 29 s here and 26.43 s in the output before it.
WITH
  printed (x, y8, y4, y2, y1) AS (VALUES (16, 29, 14, 9, 7), (32, 39, 13, 5, 4), (64, 77, 12, 4, 2)),
  ours AS (
    SELECT CAST(parameters ->> 'BLOCK_X' AS INTEGER) AS x, max(median_us) FILTER (WHERE parameters ->> 'BLOCK_Y' = 8) / 1e6 AS o8,
      max(median_us) FILTER (WHERE parameters ->> 'BLOCK_Y' = 4) / 1e6 AS o4,
      max(median_us) FILTER (WHERE parameters ->> 'BLOCK_Y' = 2) / 1e6 AS o2,
      max(median_us) FILTER (WHERE parameters ->> 'BLOCK_Y' = 1) / 1e6 AS o1
    FROM gpu_trial
    WHERE device = :device AND system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND n = 1000
      AND problem ->> 'STEPS' = 1000
    GROUP BY x)
SELECT x, y8 AS "8: published", round(o8, 3) AS "8: here", y4 AS "4: published", round(o4, 3) AS "4: here", y2 AS "2: published",
  round(o2, 3) AS "2: here", y1 AS "1: published", round(o1, 3) AS "1: here"
FROM printed LEFT JOIN ours USING (x) ORDER BY x;
