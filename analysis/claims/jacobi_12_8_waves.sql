-- claim: A GPU's 1048576 points, 4096 blocks of 256, are 12.80 waves for both kernels.
-- system: jacobi
-- source: Jacobi on several V100 with NVSHMEM, profiler: 62 registers a thread
-- place: sections 5.2 and 5.5, Grid Size and Waves Per SM in the tables Launch Statistics
-- holds if: 4096 blocks over SMs x blocks an SM are 12.80 within 2 % for the kernel jacobi of the NVSHMEM programs,
--   with atomics and with CUB (experiment jacobi/nvshmem, BLOCK_SIZE 256; the repaired programs have the same kernel)
WITH kernels AS (
  SELECT device, variant LIKE '%atomic%' AS atomic, max(sms) AS sms, max(blocks_per_sm) AS blocks_per_sm,
    max(registers) AS registers, max(limiter) AS limiter, 4096.0 / max(sms) / max(blocks_per_sm) AS waves
  FROM gpu_trial
  WHERE system = 'jacobi' AND experiment = 'nvshmem' AND block_size = 256 AND blocks_per_sm > 0
    AND variant IN ('nvshmem_atomic_as_published', 'nvshmem_atomic_repaired', 'nvshmem_as_published',
      'nvshmem_repaired')
  GROUP BY device, atomic)
SELECT device, abs(atomic.waves / 12.8 - 1) <= 0.02 AND abs(cub.waves / 12.8 - 1) <= 0.02 AS holds,
  printf('4096 blocks are %.2f waves with atomics and %.2f with CUB.', atomic.waves, cub.waves) AS evidence,
  printf('%d SMs hold %d and %d blocks each, limited by %s and %s, with %d and %d registers.', cub.sms,
    atomic.blocks_per_sm, cub.blocks_per_sm, atomic.limiter, cub.limiter, atomic.registers, cub.registers)
    AS explanation,
  abs(gpu_waves('v100', 4096, 256, 62, 0) / 12.8 - 1) <= 0.02
    AND abs(gpu_waves('v100', 4096, 256, 62, 44) / 12.8 - 1) <= 0.02 AS holds_there,
  printf('Planned for a V100: 4096 blocks on %d SMs x %d blocks are %.2f waves.', gpu_sms('v100'),
    gpu_blocks_per_sm('v100', 256, 62, 44), gpu_waves('v100', 4096, 256, 62, 44)) AS there
FROM kernels AS atomic JOIN kernels AS cub USING (device)
WHERE atomic.atomic AND NOT cub.atomic;
