-- claim: 62 registers a thread limit both kernels to 4 blocks an SM, an occupancy of 50 %.
-- system: jacobi
-- source: Jacobi on several V100 with NVSHMEM, blocks of 256, profiler
-- place: sections 5.2 and 5.5, Registers Per Thread, Block Limit Registers and Theoretical Occupancy
-- holds if: registers are what limits the kernel jacobi of the NVSHMEM programs, with atomics and with CUB, to an
--   occupancy of 50 % (experiment jacobi/nvshmem, BLOCK_SIZE 256; the repaired programs have the same kernel)
WITH kernels AS (
  SELECT device, variant LIKE 'nvshmem%' AS profiled, variant LIKE '%atomic%' AS atomic, registers, blocks_per_sm,
    gpu_trial.occupancy, limiter
  FROM gpu_trial
  WHERE system = 'jacobi' AND block_size = 256 AND blocks_per_sm IS NOT NULL AND (
    experiment = 'nvshmem' AND variant IN ('nvshmem_atomic_as_published', 'nvshmem_atomic_repaired',
      'nvshmem_as_published', 'nvshmem_repaired')
    OR experiment = 'reduction' AND variant IN ('atomic', 'cub_block_reduce'))),
  both AS (
    SELECT *, dense_rank() OVER (PARTITION BY device, profiled ORDER BY atomic)
      + dense_rank() OVER (PARTITION BY device, profiled ORDER BY atomic DESC) > 2 AS whole
    FROM kernels)
SELECT device,
  CASE WHEN max(profiled AND whole)
    THEN min(occupancy = 0.5 AND limiter LIKE '%registers%') FILTER (WHERE profiled) END AS holds,
  CASE WHEN max(profiled AND whole)
    THEN printf('%d and %d registers: %d and %d blocks an SM, %d and %d %%, limited by %s and %s.',
      max(registers) FILTER (WHERE profiled AND atomic), max(registers) FILTER (WHERE profiled AND NOT atomic),
      max(blocks_per_sm) FILTER (WHERE profiled AND atomic), max(blocks_per_sm) FILTER (WHERE profiled AND NOT atomic),
      round(100 * max(occupancy) FILTER (WHERE profiled AND atomic)),
      round(100 * max(occupancy) FILTER (WHERE profiled AND NOT atomic)),
      max(limiter) FILTER (WHERE profiled AND atomic), max(limiter) FILTER (WHERE profiled AND NOT atomic))
    ELSE 'The kernels with these registers call NVSHMEM; both of their programs would have to be run here '
      || '(experiment jacobi/nvshmem).' END AS evidence,
  CASE WHEN max(NOT profiled)
    THEN printf('62 registers leave room for 4 blocks of 256 in an SM''s 65536. The kernels for one GPU need %d.',
      max(registers) FILTER (WHERE NOT profiled))
    ELSE '62 registers leave room for 4 blocks of 256 in an SM''s 65536.' END AS explanation,
  gpu_blocks_per_sm('v100', 256, 62, 0) = 4 AND gpu_blocks_per_sm('v100', 256, 62, 44) = 4
    AND gpu_limiter('v100', 256, 62, 44) LIKE '%registers%' AS holds_there,
  printf('Planned for a V100: %d blocks of 256 threads with 62 registers an SM, limited by %s: %d of 64 warps.',
    gpu_blocks_per_sm('v100', 256, 62, 44), gpu_limiter('v100', 256, 62, 44),
    8 * gpu_blocks_per_sm('v100', 256, 62, 44)) AS there
FROM both GROUP BY device;
