-- claim: The kernel with shared memory is about 6 times as fast as the one without.
-- system: nbody
-- source: N-body on A100, N = 4096: 218.5e9 against 32.3e9 interactions/s
-- place: the short analysis below the output of the three programs, second point
-- holds if: nbody_shared (BLOCK_SIZE 128, BLOCK_STRIDE 4, experiment nbody/shared_block_size) over nbody_parallel
--   (BLOCK_SIZE 32, nbody/basic_block_size) is 6 within 20 %
WITH steps AS (
  SELECT device, max(median_us) FILTER (WHERE parallel) AS parallel_us,
    max(median_us) FILTER (WHERE shared) AS shared_us,
    max(grid * warps_per_block) FILTER (WHERE parallel) AS parallel_warps,
    max(grid * warps_per_block) FILTER (WHERE shared) AS shared_warps, max(waves) FILTER (WHERE shared) AS waves
  FROM (
    SELECT *, experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND block_size = 32 AS parallel,
      experiment = 'shared_block_size' AND variant = 'nbody_shared' AND block_size = 128 AS shared
    FROM gpu_trial WHERE system = 'nbody' AND n = 4096)
  GROUP BY device)
SELECT device, (abs(parallel_us / shared_us / 6 - 1) <= 0.2) AS holds,
  printf('nbody_parallel takes %.1f us and nbody_shared %.2f us: %.1f times.', parallel_us, shared_us,
    parallel_us / shared_us) AS evidence,
  printf('nbody_shared has %d warps where the other has %d, each with a quarter of the pulls in a row and its operands '
    || 'in shared memory; at %.2f waves there is room for them.', shared_warps, parallel_warps, waves) AS explanation,
  abs(218.453 / 32.320 / 6 - 1) <= 0.2 AS holds_there,
  printf('218.5e9 over 32.3e9 are %.2f times.', 218.453 / 32.320) AS there
FROM steps WHERE parallel_us IS NOT NULL AND shared_us IS NOT NULL AND waves IS NOT NULL;
