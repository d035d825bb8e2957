-- claim: The block reduction needs 44 bytes of shared memory, which limit nothing.
-- system: jacobi
-- source: Jacobi on V100, blocks of 256, profiler: static shared memory 0 B and 44 B, block limit 384
-- place: TODO
-- holds if: block_reduce has at most 44 bytes of shared memory and shared memory does not limit its blocks an SM, with
--   atomic at 0 bytes (experiment jacobi/reduction, BLOCK_SIZE 256)
SELECT gpu_trial.device,
  (min(shared_bytes) = 0 AND max(shared_bytes) BETWEEN 1 AND 44 AND max(gpu_trial.limiter LIKE '%shared%') = 0) AS holds,
  printf('atomic has %d and block_reduce %d bytes; by shared memory alone %d blocks of block_reduce would fit an SM.',
    max(shared_bytes) FILTER (WHERE variant = 'atomic'), max(shared_bytes) FILTER (WHERE variant = 'block_reduce'),
    max(limit_shared_memory) FILTER (WHERE variant = 'block_reduce')) AS evidence,
  printf('4 bytes a warp are 32 for 8 warps, %s CUB''s 44; what fits are %d blocks, limited by %s.',
    CASE WHEN max(shared_bytes) < 44 THEN 'below' ELSE 'beside' END, max(gpu_trial.blocks_per_sm),
    max(gpu_trial.limiter)) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM gpu_trial JOIN launch ON launch.trial_id = gpu_trial.trial_id AND launch.kernel = gpu_trial.kernel
WHERE system = 'jacobi' AND experiment = 'reduction' AND variant IN ('atomic', 'block_reduce') AND n = 1048576
  AND block_size = 256 AND gpu_trial.blocks_per_sm IS NOT NULL
GROUP BY gpu_trial.device HAVING count(DISTINCT variant) = 2;
