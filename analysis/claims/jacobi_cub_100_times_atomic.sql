-- claim: With CUB's block reduction the kernel takes 25.15 us in place of 2.52 ms with an atomic addition a point.
-- system: jacobi
-- source: Jacobi on V100, 1048576 points a GPU, blocks of 256, the kernel under a profiler
-- place: sections 5.2 and 5.5, Duration in the tables GPU Speed Of Light
-- derived: that this is 100 times; that a GPU's part of the points takes what as many points take on a GPU alone
-- holds if: atomic over cub_block_reduce is 100.2 within 20 % at N = 1048576, each execution alone and with nothing
--   cached (experiment jacobi/reduction_cold; it has the launch that clears the sum, too)
WITH ways AS (
  SELECT device, n, max(median_us) FILTER (WHERE variant = 'atomic') AS atomic_us,
    max(median_us) FILTER (WHERE variant = 'cub_block_reduce') AS cub_us,
    max(grid) FILTER (WHERE variant = 'cub_block_reduce') AS blocks,
    max(waves) FILTER (WHERE variant = 'cub_block_reduce') AS waves
  FROM gpu_trial WHERE system = 'jacobi' AND experiment = 'reduction_cold' AND n = 1048576 AND block_size = 256
  GROUP BY device)
SELECT device, abs(atomic_us / cub_us / (2520 / 25.15) - 1) <= 0.2 AS holds,
  printf('atomic takes %d us and cub_block_reduce %.2f us: %g times, published %d.', round(atomic_us), cub_us,
    round(atomic_us / cub_us, iif(atomic_us < 10 * cub_us, 1, 0)), round(2520 / 25.15)) AS evidence,
  printf('atomic adds %d times to one address, %.2f ns each; with CUB %d blocks add, which at that pace takes %.1f of '
    || 'the %.1f us. It has %.2f waves.', n, 1000.0 * atomic_us / n, blocks, blocks * atomic_us / n, cub_us, waves)
    AS explanation,
  2520 / 25.15 BETWEEN 80 AND 120 AS holds_there,
  printf('2.52 ms over 25.15 us are %.1f; at the pace of its atomics, %.2f ns, the 4096 of the CUB kernel are %.1f us.',
    2520 / 25.15, 2520e3 / 1048576, 4096 * 2520.0 / 1048576) AS there
FROM ways WHERE atomic_us IS NOT NULL AND cub_us IS NOT NULL AND waves IS NOT NULL;
