-- claim: Blocks of two dimensions are at best 5.6 times as slow as blocks of one.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 2 s (64 x 1) against 0.36 s
-- confirmed if: block_2d with 64 x 1 threads over basic with 128 is 5.6 within 20 % (experiment particles/editions)
WITH steps AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'basic') AS basic_us,
    max(median_us) FILTER (WHERE variant = 'block_2d') AS block_us,
    max(grid) FILTER (WHERE variant = 'basic') AS basic_blocks,
    max(grid) FILTER (WHERE variant = 'block_2d') AS blocks, max(waves) FILTER (WHERE variant = 'basic') AS basic_waves,
    max(waves) FILTER (WHERE variant = 'block_2d') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant IN ('basic',
    'block_2d')
  GROUP BY device)
SELECT device, CASE WHEN abs(block_us / basic_us / 5.6 - 1) <= 0.2 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('basic takes %.1f ms and block_2d %.1f ms: %.2f times.', basic_us / 1e3, block_us / 1e3, block_us / basic_us)
    AS evidence,
  printf('basic has %d blocks, %.3f waves; the published grid of N x N / 64 has %d, %.1f waves, for the same '
    || 'particles.', basic_blocks, basic_waves, blocks, waves) AS explanation
FROM steps WHERE basic_us IS NOT NULL AND block_us IS NOT NULL AND waves IS NOT NULL;
