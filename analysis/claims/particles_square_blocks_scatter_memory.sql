-- claim: Square blocks are slow because threads that are neighbours reach memory that is scattered.
-- system: particles
-- source: Particle simulation, unnamed GPU, first edition, n = 1000
-- place: TODO
-- holds if: gpu1, whose grid leaves nearly all blocks without work with either shape, takes 1.1 times as long with 8 x 8 as with
--   64 x 1 or more (experiment particles/block_shape)
WITH shapes AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'gpu1' AND x = 64 AND y = 1) AS flat_us,
    max(median_us) FILTER (WHERE variant = 'gpu1' AND x = 8 AND y = 8) AS square_us,
    max(grid) FILTER (WHERE variant = 'gpu1' AND x = 8 AND y = 8) AS blocks,
    max(waves) FILTER (WHERE variant = 'gpu1' AND x = 8 AND y = 8) AS waves, max(n) AS n
  FROM (SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM gpu_trial
        WHERE system = 'particles' AND experiment = 'block_shape' AND n = 1000)
  GROUP BY device)
SELECT device, (square_us >= 1.1 * flat_us) AS holds,
  printf('8 x 8 takes %.2f ms and 64 x 1 %.2f ms: %.2f times.', square_us / 1e3, flat_us / 1e3, square_us / flat_us)
    AS evidence,
  printf('The printed numbering gives the threads of a block neighbours in memory whatever its shape, so nothing is '
    || 'scattered: %d of %d blocks (%.1f waves) have all %d particles.', (n + 63) / 64, blocks, waves, n) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM shapes WHERE flat_us IS NOT NULL AND square_us IS NOT NULL AND waves IS NOT NULL;
