-- claim: Square blocks are slow because neighbours in a block are scattered in memory.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000
-- confirmed if: in a grid of just enough blocks (block_2d_fixed) 8 x 8 takes 1.1 times as long as 64 x 1 or more
--   (experiment particles/block_shape)
WITH shapes AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'block_2d_fixed' AND x = 64 AND y = 1) AS flat_us,
    max(median_us) FILTER (WHERE variant = 'block_2d_fixed' AND x = 8 AND y = 8) AS square_us,
    max(median_us) FILTER (WHERE variant = 'block_2d' AND x = 8 AND y = 8) AS published_us,
    max(grid) FILTER (WHERE variant = 'block_2d_fixed' AND x = 8 AND y = 8) AS blocks,
    max(grid) FILTER (WHERE variant = 'block_2d' AND x = 8 AND y = 8) AS published_blocks,
    max(waves) FILTER (WHERE variant = 'block_2d_fixed' AND x = 8 AND y = 8) AS waves,
    max(waves) FILTER (WHERE variant = 'block_2d' AND x = 8 AND y = 8) AS published_waves
  FROM (SELECT *, parameters ->> 'BLOCK_X' AS x, parameters ->> 'BLOCK_Y' AS y FROM gpu_trial
        WHERE system = 'particles' AND experiment = 'block_shape' AND n = 1000)
  GROUP BY device)
SELECT device, CASE WHEN square_us >= 1.1 * flat_us THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('With just enough blocks 8 x 8 takes %.2f times as long as 64 x 1; the published grid takes %.2f times as '
    || 'long as just enough blocks.', square_us / flat_us, published_us / square_us) AS evidence,
  printf('%d blocks (%.2f waves) do the work for which the published grid starts %d (%.1f waves).', blocks, waves,
    published_blocks, published_waves) AS explanation
FROM shapes WHERE flat_us IS NOT NULL AND square_us IS NOT NULL AND published_us IS NOT NULL AND waves IS NOT NULL;
