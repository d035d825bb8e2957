-- claim: Blocks of two dimensions are at best 5.6 times as slow as blocks of one.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 2 s (64 x 1) against 0.36 s, which are 5.6 times
-- place: TODO
-- holds if: gpu1 with 64 x 1 threads over gpu with 128 is 5.6 within 20 % (experiment particles/editions)
WITH steps AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'gpu') AS gpu_us,
    max(median_us) FILTER (WHERE variant = 'gpu1') AS block_us,
    max(grid) FILTER (WHERE variant = 'gpu') AS gpu_blocks,
    max(grid) FILTER (WHERE variant = 'gpu1') AS blocks, max(waves) FILTER (WHERE variant = 'gpu') AS gpu_waves,
    max(waves) FILTER (WHERE variant = 'gpu1') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000 AND variant IN ('gpu', 'gpu1')
  GROUP BY device)
SELECT device, (abs(block_us / gpu_us / 5.6 - 1) <= 0.2) AS holds,
  printf('gpu takes %.1f ms and gpu1 %.1f ms: %.2f times.', gpu_us / 1e3, block_us / 1e3, block_us / gpu_us)
    AS evidence,
  printf('gpu has %d blocks, %.3f waves; the published grid of n x n / 64 has %d, %.1f waves, for the same '
    || 'particles.', gpu_blocks, gpu_waves, blocks, waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM steps WHERE gpu_us IS NOT NULL AND block_us IS NOT NULL AND waves IS NOT NULL;
