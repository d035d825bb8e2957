-- claim: 62 registers limit both kernels to 4 blocks an SM, an occupancy of 50 %.
-- system: jacobi
-- source: Jacobi on V100, blocks of 256, profiler
-- place: TODO
-- holds if: registers are what limits the main kernels of atomic and block_reduce, to an occupancy of 50 %
--   (experiment jacobi/reduction, BLOCK_SIZE 256)
SELECT device,
  (min(occupancy) = 0.5 AND max(occupancy) = 0.5 AND min(limiter LIKE '%registers%')) AS holds,
  printf('%d and %d registers: %d and %d blocks an SM, %.0f and %.0f %%, limited by %s and %s.',
    max(registers) FILTER (WHERE variant = 'atomic'), max(registers) FILTER (WHERE variant = 'block_reduce'),
    max(blocks_per_sm) FILTER (WHERE variant = 'atomic'), max(blocks_per_sm) FILTER (WHERE variant = 'block_reduce'),
    100 * max(occupancy) FILTER (WHERE variant = 'atomic'),
    100 * max(occupancy) FILTER (WHERE variant = 'block_reduce'),
    max(limiter) FILTER (WHERE variant = 'atomic'), max(limiter) FILTER (WHERE variant = 'block_reduce')) AS evidence,
  printf('62 registers leave room for 4 blocks of 256 in an SM''s 65536; our kernels, other sources by another '
    || 'compiler, need %d at most.', max(registers)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM gpu_trial
WHERE system = 'jacobi' AND experiment = 'reduction' AND variant IN ('atomic', 'block_reduce') AND n = 1048576
  AND block_size = 256 AND blocks_per_sm IS NOT NULL
GROUP BY device HAVING count(DISTINCT variant) = 2;
