-- claim: The profile shows the shared memory that CUB's BlockReduce is given: 44 bytes a block, where there was none.
-- system: jacobi
-- source: Jacobi on V100, blocks of 256, profiler: static shared memory 0 and 44 bytes a block
-- place: section 5.5, the sentence below the profile; Launch Statistics of sections 5.2 and 5.5
-- holds if: cub_block_reduce has 44 bytes of shared memory at BLOCK_SIZE 256 and atomic has none
--   (experiment jacobi/reduction)
SELECT gpu_trial.device,
  min(shared_bytes) = 0 AND max(shared_bytes) FILTER (WHERE variant = 'cub_block_reduce') = 44 AS holds,
  printf('atomic has %d and cub_block_reduce %d bytes.', max(shared_bytes) FILTER (WHERE variant = 'atomic'),
    max(shared_bytes) FILTER (WHERE variant = 'cub_block_reduce')) AS evidence,
  printf('8 warps have a sum of 4 bytes each, 32 bytes; the rest is how this version of CUB lays its storage out. It '
    || 'limits nothing: %s.', group_concat(DISTINCT printf('%d blocks an SM, limited by %s', blocks_per_sm, limiter)))
    AS explanation,
  1 AS holds_there,
  'Its tables have 0 and 44 bytes: 32 for the sums of 8 warps and 12 of CUB''s own. Shared memory would allow 384 '
    || 'blocks an SM, registers 4.' AS there
FROM gpu_trial
WHERE system = 'jacobi' AND experiment = 'reduction' AND variant IN ('atomic', 'cub_block_reduce') AND n = 1048576
  AND block_size = 256 AND blocks_per_sm IS NOT NULL
GROUP BY gpu_trial.device HAVING count(DISTINCT variant) = 2;
