-- table: Time by block size and number of particles
-- system: particles
-- place: the table under "Effect of the number of particles and of the block size": seconds of 1000 steps
WITH
  printed (place, block_size, t1000, t2000, t10000) AS (
    VALUES (1, 512, 1.25, 2.53, 30.0), (2, 256, 0.4, 0.77, 21.66), (3, 128, 0.36, 0.98, 23.34), (4, 64, 0.36, 0.72, 24.92),
      (5, 32, 0.35, 0.71, 15.36), (6, 16, 0.35, 1.42, 21.9), (7, 8, 0.62, 1.9, 35.16)),
  ours AS (
    SELECT block_size, max(median_us) FILTER (WHERE n = 1000) / 1e6 AS o1000,
      max(median_us) FILTER (WHERE n = 2000) / 1e6 AS o2000, max(median_us) FILTER (WHERE n = 10000) / 1e6 AS o10000
    FROM gpu_trial
    WHERE device = :device AND system = 'particles' AND experiment = 'block_size' AND variant = 'gpu'
      AND problem ->> 'STEPS' = 1000
    GROUP BY block_size)
SELECT block_size || ' t.p.b' AS threads, t1000 AS "1000: published, s", round(o1000, 3) AS "1000: here, s",
  t2000 AS "2000: published, s", round(o2000, 3) AS "2000: here, s", t10000 AS "10000: published, s",
  round(o10000, 3) AS "10000: here, s"
FROM printed LEFT JOIN ours USING (block_size) ORDER BY place;
