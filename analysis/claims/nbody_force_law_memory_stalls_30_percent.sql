-- claim: In v1, without shared memory, 30.53 % of the stalls are memory dependency.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler: 30.53 %
-- place: Nbody kernel v1, the paragraph
-- derived: that memory dependency is long_scoreboard, as the profilers of later GPUs call it
-- holds if: long_scoreboard is 30.53 % of a warp's stalls in v1, within 20 % (view counter_stall, without
--   selected, not_selected and other, of the configurations of nbody_force_law/variants, by 'tailwave counters' or
--   Nsight Compute)
WITH stalls AS (
  SELECT device, sms, grid, block, sum(per_issue) AS total,
    sum(per_issue) FILTER (WHERE reason = 'long_scoreboard') AS memory
  FROM counter_launch JOIN counter_stall USING (counter_run_id, position)
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND variant = 'v1' AND kernel IN ('body_force', 'accelerate')
    AND age = 1 AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024
    AND NOT parameters ->> 'FAST_MATH'
    AND reason NOT IN ('selected', 'not_selected', 'other') AND counter_stall.doubt IS NULL
  GROUP BY device, counter_run_id)
SELECT device, (abs(memory / total / 0.3053 - 1) <= 0.2) AS holds,
  printf('%.2f of %.2f warps that wait do so for memory: %.1f %%.', memory, total, 100 * memory / total) AS evidence,
  printf('%d blocks of %d threads on %d SMs; each thread loads a body from global memory for every pair.', grid, block,
    sms) AS explanation,
  1 AS holds_there, 'Its profiler printed 30.53 %, which nothing else in the text contradicts.' AS there
FROM stalls WHERE memory IS NOT NULL AND total > 0;
