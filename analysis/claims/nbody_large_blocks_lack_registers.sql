-- claim: Block sizes 512 to 1024 are slower because an SM lacks the registers or the shared memory for them.
-- system: nbody
-- source: N-body on A100, N = 4096
-- place: TODO
-- holds if: registers or shared memory allow an SM fewer warps in blocks of 512 or 1024 than in blocks of 256
--   (experiment nbody/basic_block_size)
WITH sizes AS (
  SELECT device, sms, max(occupancy) FILTER (WHERE block_size = 256) AS base,
    min(occupancy) FILTER (WHERE block_size IN (512, 1024)) AS large,
    max(registers) FILTER (WHERE block_size = 1024) AS registers,
    max(shared_bytes) FILTER (WHERE block_size = 1024) AS shared,
    max(blocks_per_sm) FILTER (WHERE block_size = 1024) AS fits,
    max(grid) FILTER (WHERE block_size = 512) AS half_blocks,
    max(grid) FILTER (WHERE block_size = 1024) AS blocks, max(active_sms) FILTER (WHERE block_size = 512) AS half_sms,
    max(active_sms) FILTER (WHERE block_size = 1024) AS full_sms
  FROM gpu_trial WHERE system = 'nbody' AND experiment = 'basic_block_size' AND variant = 'basic' AND n = 4096
  GROUP BY device)
SELECT device, (large < base) AS holds,
  printf('With %d registers and %d bytes of shared memory, %d blocks of 1024 fit an SM: %.0f %% of its warps, at 256 '
    || '%.0f %%.', registers, shared, fits, 100 * large, 100 * base) AS evidence,
  printf('The grid has %d blocks of 512 and %d of 1024, so that %d and %d of %d SMs have one.', half_blocks, blocks,
    half_sms, full_sms, sms) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM sizes WHERE base IS NOT NULL AND large IS NOT NULL;
