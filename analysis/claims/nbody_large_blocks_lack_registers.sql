-- claim: Blocks of 512 to 1024 are slower because registers and shared memory run short, so that blocks have to queue.
-- system: nbody
-- source: N-body on A100, N = 4096: 28.9e9 (512) and 20.1e9 interactions/s (1024)
-- place: observation 4 on the block size of nbody_parallel.cu, its reason
-- holds if: blocks of 512, 1023 or 1024 exceed one wave, and registers or shared memory limit the blocks of an SM
--   (nbody_parallel, experiment nbody/basic_block_size)
WITH sizes AS (
  SELECT device, sms, max(waves) AS waves,
    max(waves > 1 AND (limiter LIKE '%registers%' OR limiter LIKE '%shared_memory%')) AS queues,
    max(registers) FILTER (WHERE block_size = 1024) AS registers,
    max(shared_bytes) FILTER (WHERE block_size = 1024) AS shared,
    max(blocks_per_sm) FILTER (WHERE block_size = 1024) AS fits,
    max(grid) FILTER (WHERE block_size = 512) AS half_blocks, max(grid) FILTER (WHERE block_size = 1024) AS blocks,
    max(active_sms) FILTER (WHERE block_size = 512) AS half_sms,
    max(active_sms) FILTER (WHERE block_size = 1024) AS full_sms
  FROM gpu_trial
  WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'nbody_parallel' AND n = 4096
    AND block_size IN (512, 1023, 1024)
  GROUP BY device)
SELECT device, queues AS holds,
  printf('With %d registers and %d bytes of shared memory, %d blocks of 1024 fit an SM; the three grids are at most '
    || '%.2f waves.', registers, shared, fits, waves) AS evidence,
  printf('The grid has %d blocks of 512 and %d of 1024, so that %d and %d of %d SMs have one.', half_blocks, blocks,
    half_sms, full_sms, sms) AS explanation,
  max(gpu_waves('a100', 8, 512, 32, 0), gpu_waves('a100', 5, 1023, 32, 0), gpu_waves('a100', 4, 1024, 32, 0)) > 1
    AS holds_there,
  printf('Planned for an A100, with 32 registers and no shared memory: %.2f waves of blocks of 512 and %.2f of '
    || '1024, so none waits; 8 and 4 of %d SMs have work.', gpu_waves('a100', 8, 512, 32, 0),
    gpu_waves('a100', 4, 1024, 32, 0), gpu_sms('a100')) AS there
FROM sizes WHERE queues IS NOT NULL AND fits IS NOT NULL;
