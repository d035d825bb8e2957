-- claim: The flatter a block of two dimensions is, the faster.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 64 x 1 takes 2 s, 32 x 2 5 s, 16 x 4 14 s and 8 x 8 45.8 s
-- place: first edition for the GPU: the text below the first chart and the table of shapes
-- derived: that shapes of 64 threads are compared
-- holds if: of the shapes of gpu1 with 64 threads, 64 x 1, 32 x 2, 16 x 4 and 8 x 8, each is more than 2 % faster than
--   the next (experiment particles/block_shape)
WITH shapes AS (
  SELECT device, max(median_us) FILTER (WHERE x = 64) AS us_64, max(median_us) FILTER (WHERE x = 32) AS us_32,
    max(median_us) FILTER (WHERE x = 16) AS us_16, max(median_us) FILTER (WHERE x = 8) AS us_8,
    max(grid) FILTER (WHERE x = 64) AS flat_blocks, max(grid) FILTER (WHERE x = 8) AS square_blocks,
    max(waves) FILTER (WHERE x = 64) AS flat_waves, max(waves) FILTER (WHERE x = 8) AS square_waves, max(n) AS n
  FROM (SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM gpu_trial
        WHERE system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND n = 1000)
  WHERE x * y = 64 GROUP BY device)
SELECT device, us_32 > 1.02 * us_64 AND us_16 > 1.02 * us_32 AND us_8 > 1.02 * us_16 AS holds,
  printf('64 x 1 takes %.1f ms, 32 x 2 %.1f ms, 16 x 4 '
    || '%.1f ms and 8 x 8 %.1f ms.', us_64 / 1e3, us_32 / 1e3, us_16 / 1e3, us_8 / 1e3) AS evidence,
  printf('As printed the threads of a block are numbered one after the other, so that 64 neighbours in memory are '
    || 'one block of either shape: %d blocks of %d (%.1f waves) for 64 x 1 and %d of %d (%.1f '
    || 'waves) for 8 x 8 have work.',
    (n + 63) / 64, flat_blocks, flat_waves, (n + 63) / 64, square_blocks, square_waves) AS explanation,
  5 > 1.02 * 2 AND 14 > 1.02 * 5 AND 45.8355 > 1.02 * 14 AS holds_there,
  'By its figures: 2, 5, 14 and 45.8 s, from 64 x 1 to 8 x 8.' AS there
FROM shapes
WHERE us_64 IS NOT NULL AND us_32 IS NOT NULL AND us_16 IS NOT NULL AND us_8 IS NOT NULL AND flat_waves IS NOT NULL
  AND square_waves IS NOT NULL;
