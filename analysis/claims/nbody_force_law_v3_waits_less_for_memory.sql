-- claim: Shared memory makes the stalls by memory dependency of v1 fewer in v3.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060: said without a figure; 16.5 ms become 14.64
-- place: Nbody kernel v3, the beginning of the paragraph
-- derived: that memory dependency is long_scoreboard, as the profilers of later GPUs call it
-- holds if: at least 2 % fewer warps wait by long_scoreboard for each that issues in v3_repaired than in v1, blocks
--   of 1024 (view counter_stall, of the configurations of nbody_force_law/variants, by 'tailwave counters' or Nsight
--   Compute)
WITH stalls AS (
  SELECT device, variant, sum(per_issue) FILTER (WHERE reason = 'long_scoreboard') AS memory,
    sum(per_issue) FILTER (WHERE reason = 'barrier') AS barrier,
    sum(per_issue) FILTER (WHERE reason = 'short_scoreboard') AS shared
  FROM counter_launch JOIN counter_stall USING (counter_run_id, position)
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND kernel = 'accelerate' AND age = 1
    AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH'
    AND counter_stall.doubt IS NULL
  GROUP BY device, variant, counter_run_id)
SELECT v1.device, v1.memory > 1.02 * v3.memory AS holds,
  printf('%.2f warps wait for memory for each that issues in v1 and %.2f in v3.', v1.memory, v3.memory) AS evidence,
  printf('v3 loads one body a thread and tile, and waits for a barrier (%.2f warps) and for shared memory and roots '
    || '(%.2f, in v1 %.2f).', v3.barrier, v3.shared, v1.shared) AS explanation,
  16.5 > 1.02 * 14.64 AS holds_there,
  printf('No figure of its profiler is printed; with the same operations a pair v3 takes %.2f times as long as v1.',
    14.64 / 16.5) AS there
FROM stalls AS v1 JOIN stalls AS v3 USING (device)
WHERE v1.variant = 'v1' AND v3.variant = 'v3_repaired' AND v1.memory IS NOT NULL AND v3.memory IS NOT NULL;
