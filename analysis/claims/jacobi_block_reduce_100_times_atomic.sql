-- claim: The block reduction is 100 times as fast as one atomic addition a point.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, the kernel under a profiler: 2.52 ms and 25.15 us
-- place: TODO
-- holds if: atomic over block_reduce is 100 within 20 % at N = 1048576, each execution alone and with nothing cached
--   (experiment jacobi/reduction_cold)
WITH ways AS (
  SELECT device, n, max(median_us) FILTER (WHERE variant = 'atomic') AS atomic_us,
    max(median_us) FILTER (WHERE variant = 'block_reduce') AS block_us,
    max(grid) FILTER (WHERE variant = 'block_reduce') AS blocks,
    max(waves) FILTER (WHERE variant = 'block_reduce') AS waves
  FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'reduction_cold' AND n = 1048576 AND block_size = 256
  GROUP BY device)
SELECT device, (abs(atomic_us / block_us / 100.2 - 1) <= 0.2) AS holds,
  printf('atomic takes %.0f us and block_reduce %.2f us: %.0f times, published 100.', atomic_us, block_us,
    atomic_us / block_us) AS evidence,
  printf('atomic adds %d times to one address, %.2f ns each; block_reduce adds %d times, and at that pace %.1f of its '
    || '%.1f us go into it. Waves are %.2f for both.', n, 1000 * atomic_us / n, blocks, blocks * atomic_us / n,
    block_us, waves) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM ways WHERE atomic_us IS NOT NULL AND block_us IS NOT NULL AND waves IS NOT NULL;
