-- claim: The smaller the blocks of v3, the more transactions with global memory a block needs.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: a rule, without a figure
-- place: Nbody kernel v3, the paragraph, first reason why smaller blocks are slower
-- derived: that a transaction is a sector of 32 bytes that is loaded
-- holds if: a block of 128 loads more than 1.02 times as many sectors from global memory as one of 1024 (v3_repaired at
--   N = 20480, counter l1tex__t_sectors_pipe_lsu_mem_global_op_ld, by 'tailwave counters' or Nsight Compute, experiment
--   nbody_force_law/block_size)
WITH
  sectors AS (
    SELECT device, block, grid, value FROM counter_launch JOIN counter_value USING (counter_run_id, position)
    WHERE kind = 'cuda' AND system = 'nbody_force_law' AND variant = 'v3_repaired' AND kernel = 'accelerate' AND age = 1
      AND problem ->> 'N' = 20480 AND block IN (128, 1024) AND NOT parameters ->> 'FAST_MATH'
      AND metric = 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum' AND counter_value.doubt IS NULL),
  sizes AS (
    SELECT device, max(value / grid) FILTER (WHERE block = 128) AS small,
      max(value) FILTER (WHERE block = 128) AS all_small, max(value / grid) FILTER (WHERE block = 1024) AS large,
      max(value) FILTER (WHERE block = 1024) AS all_large
    FROM sectors GROUP BY device)
SELECT device, small > 1.02 * large AS holds,
  printf('A block of 128 loads %d sectors, one of 1024 %d: %.2f times.', round(small), round(large),
    small / large) AS evidence,
  printf('A block of any size reads all bodies once. What grows is their number, and with it the sectors of all of '
    || 'them, %.1f times.', all_small / all_large) AS explanation,
  20480 / 128 * (128 * 16 / 32) > 20480 / 1024 * (1024 * 16 / 32) AS holds_there,
  printf('By the program as printed %d tiles of %d sectors are as many as %d of %d: %d a block.', 20480 / 128,
    128 * 16 / 32, 20480 / 1024, 1024 * 16 / 32, 20480 * 16 / 32) AS there
FROM sizes WHERE small IS NOT NULL AND large > 0;
