-- claim: With shared memory large blocks are slow so soon because each thread needs more of an SM.
-- system: nbody
-- source: N-body on A100, N = 4096: the reason given for 178.1e9 (256) and 113.2e9 interactions/s (512)
-- place: observation 1 on nbody_shared.cu, second point, its reason
-- derived: that more of an SM for each thread means fewer threads on it
-- holds if: at BLOCK_SIZE 256 or 512 nbody_shared (experiment nbody/shared_block_size) has less occupancy than
--   nbody_parallel (nbody/basic_block_size)
WITH
  sizes AS (
    SELECT device, block_size, max(occupancy) FILTER (WHERE variant = 'nbody_shared') AS shared,
      max(occupancy) FILTER (WHERE variant = 'nbody_parallel') AS parallel,
      max(registers) FILTER (WHERE variant = 'nbody_shared') AS registers,
      max(shared_bytes) FILTER (WHERE variant = 'nbody_shared') AS bytes,
      max(registers) FILTER (WHERE variant = 'nbody_parallel') AS parallel_registers,
      max(grid) FILTER (WHERE variant = 'nbody_shared') AS grid, max(sms) AS sms
    FROM gpu_trial
    WHERE system = 'nbody' AND n = 4096 AND block_size IN (256, 512)
      AND (experiment, variant)
        IN (VALUES ('basic_block_size', 'nbody_parallel'), ('shared_block_size', 'nbody_shared'))
    GROUP BY device, block_size)
SELECT device, max(shared < parallel) AS holds,
  group_concat(printf('%d: %d %% occupancy with %d registers and %d bytes, %d %% with %d registers and none.',
    block_size, round(100 * shared), registers, bytes, round(100 * parallel), parallel_registers), ' ') AS evidence,
  printf('What is short are blocks: %d of 256 and %d of 512 for %d SMs.', max(grid), min(grid), max(sms))
    AS explanation,
  gpu_blocks_per_sm('a100', 256, 31, 3072) < gpu_blocks_per_sm('a100', 256, 32, 0)
    OR gpu_blocks_per_sm('a100', 512, 32, 6144) < gpu_blocks_per_sm('a100', 512, 32, 0) AS holds_there,
  printf('Planned for an A100, with at most 32 registers in both: %d blocks of 256 and %d of 512 an SM with 12 bytes '
    || 'of shared memory a thread, %d and %d without.', gpu_blocks_per_sm('a100', 256, 31, 3072),
    gpu_blocks_per_sm('a100', 512, 32, 6144), gpu_blocks_per_sm('a100', 256, 32, 0),
    gpu_blocks_per_sm('a100', 512, 32, 0)) AS there
FROM sizes WHERE shared IS NOT NULL AND parallel IS NOT NULL GROUP BY device HAVING count(*) = 2;
