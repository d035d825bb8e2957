-- claim: From gpu5 to v1 the stalls of warps fall by 37.85 %.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler: 37.85 %
-- place: Nbody kernel v1, the paragraph
-- derived: that stalls are counted as warps that wait, for each instruction that is issued; the text does not say how
-- holds if: the sum over all counted reasons of v1 is 37.85 % below that of gpu5_repaired, within 20 % (view
--   counter_stall, without selected, not_selected and other, of the configurations of nbody_force_law/variants, by
--   'tailwave counters' or Nsight Compute)
WITH stalls AS (
  SELECT device, variant, sms, grid, block, sum(per_issue) AS total
  FROM counter_launch JOIN counter_stall USING (counter_run_id, position)
  WHERE kind = 'cuda' AND system = 'nbody_force_law' AND kernel IN ('body_force', 'accelerate') AND age = 1
    AND problem ->> 'N' = 20480 AND parameters ->> 'BLOCK_SIZE' = 1024 AND NOT parameters ->> 'FAST_MATH'
    AND reason NOT IN ('selected', 'not_selected', 'other') AND counter_stall.doubt IS NULL
  GROUP BY device, counter_run_id)
SELECT gpu5.device, (abs((1 - v1.total / gpu5.total) / 0.3785 - 1) <= 0.2) AS holds,
  printf('%.2f warps wait for each that issues in gpu5 and %.2f in v1: %.1f %% less.', gpu5.total, v1.total,
    100 * (1 - v1.total / gpu5.total)) AS evidence,
  printf('%d blocks of %d threads on %d SMs in both.', v1.grid, v1.block, v1.sms) AS explanation,
  1 AS holds_there, 'Its profiler printed 37.85 %, which nothing else in the text contradicts.' AS there
FROM stalls AS gpu5 JOIN stalls AS v1 USING (device)
WHERE gpu5.variant = 'gpu5_repaired' AND v1.variant = 'v1' AND gpu5.total > 0;
