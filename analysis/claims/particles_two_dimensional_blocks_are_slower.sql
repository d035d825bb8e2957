-- claim: Blocks had better have one dimension: the best with two is 5.6 times as slow.
-- system: particles
-- source: Particle simulation, unnamed GPU, n = 1000: 2 s (64 x 1) against 0.36 s
-- place: first edition for the GPU: its result; comparison of all editions: rows 0 and 1
-- derived: the factor, 2 / 0.36
-- holds if: gpu1 with 64 x 1 threads over gpu with 128 is 5.6 within 20 % (experiment particles/editions)
WITH steps AS (
  SELECT device, max(median_us) FILTER (WHERE variant = 'gpu') AS gpu_us,
    max(median_us) FILTER (WHERE variant = 'gpu1') AS block_us,
    max(grid) FILTER (WHERE variant = 'gpu') AS gpu_blocks,
    max(grid) FILTER (WHERE variant = 'gpu1') AS blocks, max(waves) FILTER (WHERE variant = 'gpu') AS gpu_waves,
    max(waves) FILTER (WHERE variant = 'gpu1') AS waves
  FROM gpu_trial WHERE system = 'particles' AND experiment = 'editions' AND n = 1000
    AND (variant = 'gpu' AND block_size = 128
      OR variant = 'gpu1' AND parameters ->> 'BLOCK_X' = 64 AND parameters ->> 'BLOCK_Y' = 1)
  GROUP BY device)
SELECT device, abs(block_us / gpu_us / 5.6 - 1) <= 0.2 AS holds,
  printf('gpu takes %.1f ms and gpu1 %.1f ms: %.2f times.', gpu_us / 1e3, block_us / 1e3, block_us / gpu_us)
    AS evidence,
  printf('gpu has %d blocks, %.3f waves; the published grid of n x n / 64 has %d, '
    || '%.1f waves, for the same particles.', gpu_blocks, gpu_waves, blocks, waves) AS explanation,
  abs(2 / 0.36 / 5.6 - 1) <= 0.2 AS holds_there,
  printf('By its figures, 2 and 0.36 s: %.2f times.', 2 / 0.36) AS there
FROM steps WHERE gpu_us IS NOT NULL AND block_us IS NOT NULL AND gpu_waves IS NOT NULL AND waves IS NOT NULL;
