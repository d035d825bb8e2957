-- claim: With shared memory bodies are read from global memory blocks * n times in place of n * n.
-- system: nbody
-- source: N-body on A100: a rule; n / BLOCK_SIZE blocks
-- place: nbody_shared.cu, the first two points on shared memory
-- derived: the factor of BLOCK_SIZE = 128 between them, and that reads are counted as loads of warps
-- holds if: body_force of nbody_parallel has 128 times as many loads from global memory as that of nbody_shared
--   (BLOCK_SIZE 128, BLOCK_STRIDE 4), within 20 %, at N = 4096 (counter l1tex__t_requests_pipe_lsu_mem_global_op_ld, by
--   'tailwave counters' or Nsight Compute, experiments nbody/basic_block_size and nbody/shared_block_size)
WITH
  loads AS (
    SELECT device, variant, grid, value FROM counter_launch JOIN counter_value USING (counter_run_id, position)
    WHERE kind = 'cuda' AND system = 'nbody' AND problem ->> 'N' = 4096 AND parameters ->> 'BLOCK_SIZE' = 128
      AND coalesce(parameters ->> 'BLOCK_STRIDE', 4) = 4 AND age = 1 AND kernel = 'body_force'
      AND metric = 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum' AND counter_value.doubt IS NULL),
  both AS (
    SELECT device, max(value) FILTER (WHERE variant = 'nbody_parallel') AS parallel,
      max(value) FILTER (WHERE variant = 'nbody_shared') AS shared,
      max(grid) FILTER (WHERE variant = 'nbody_shared') AS blocks
    FROM loads GROUP BY device)
SELECT device, abs(parallel / shared / 128 - 1) <= 0.2 AS holds,
  printf('%d loads of warps without and %d with shared memory: %.1f times.', round(parallel), round(shared),
    parallel / shared)
    AS evidence,
  printf('A body costs three loads. %d blocks read a quarter of the bodies each, besides the bodies of their own '
    || 'threads, which are read once.', blocks) AS explanation,
  4096 * 4096 / (4096 / 128 * 4096) = 128 AS holds_there,
  printf('By the code as printed 32 * 4 blocks read 4096 / 4 bodies each: %d reads in place of %d.',
    32 * 4 * (4096 / 4), 4096 * 4096) AS there
FROM both WHERE parallel IS NOT NULL AND shared > 0;
