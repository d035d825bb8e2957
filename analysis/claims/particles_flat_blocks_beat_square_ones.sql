-- claim: Flat blocks are faster than square ones of as many threads.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 64 x 1 takes 2 s, 32 x 2 5 s, 16 x 4 14 s and 8 x 8 46 s
-- place: TODO
-- holds if: gpu1 takes more than 1.02 times as long with 8 x 8 threads as with 64 x 1
--   (experiment particles/block_shape)
WITH shapes AS (
  SELECT device, max(median_us) FILTER (WHERE x = 64 AND y = 1) AS flat_us,
    max(median_us) FILTER (WHERE x = 8 AND y = 8) AS square_us,
    max(grid) FILTER (WHERE x = 64 AND y = 1) AS flat_blocks, max(grid) FILTER (WHERE x = 8 AND y = 8) AS square_blocks,
    max(waves) FILTER (WHERE x = 64 AND y = 1) AS flat_waves, max(waves) FILTER (WHERE x = 8 AND y = 8) AS square_waves,
    max(n) AS n
  FROM (SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM gpu_trial
        WHERE system = 'particles' AND experiment = 'block_shape' AND variant = 'gpu1' AND n = 1000)
  GROUP BY device)
SELECT device, (square_us > 1.02 * flat_us) AS holds,
  printf('64 x 1 takes %.1f ms and 8 x 8 %.1f ms: %.2f times.', flat_us / 1e3, square_us / 1e3, square_us / flat_us)
    AS evidence,
  printf('As printed the threads of a block are numbered one after the other, so that 64 neighbours in memory are one '
    || 'block of either shape: %d blocks of %d (%.1f waves) and %d of %d (%.1f waves) have work.', (n + 63) / 64,
    flat_blocks, flat_waves, (n + 63) / 64, square_blocks, square_waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM shapes WHERE flat_us IS NOT NULL AND square_us IS NOT NULL AND flat_waves IS NOT NULL AND square_waves IS NOT NULL;
