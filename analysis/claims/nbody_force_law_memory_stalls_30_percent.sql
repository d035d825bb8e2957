-- claim: In v1, 30.53 % of the stalls are memory dependency.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler
-- confirmed if: long_scoreboard is 24 to 37 % of a warp's stalls in v1 (profile_metric
--   smsp__average_warps_issue_stalled_REASON_per_issue_active.ratio of nbody_force_law/variants)
WITH stalls AS (
  SELECT device, occupancy, active_sms, sms, sum(profile_metric.value) AS total,
    sum(profile_metric.value) FILTER (WHERE name LIKE '%stalled_long_scoreboard_per%') AS memory
  FROM gpu_trial JOIN profile_metric USING (trial_id)
  WHERE system = 'nbody_force_law' AND experiment = 'variants' AND variant = 'v1' AND n = 20480 AND block_size = 1024
    AND launch = 0 AND NOT parameters ->> 'FAST_MATH'
      AND name LIKE 'smsp__average_warps_issue_stalled_%_per_issue_active.ratio'
  GROUP BY trial_id)
SELECT device, CASE WHEN memory / total BETWEEN 0.24 AND 0.37 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%.2f of %.2f warps that wait do so for memory: %.1f %%.', memory, total, 100 * memory / total) AS evidence,
  printf('%d of %d SMs have a block, at %.0f %% occupancy; each thread loads a body from global memory for every '
    || 'pair.', active_sms, sms, 100 * occupancy) AS explanation
FROM stalls WHERE memory IS NOT NULL AND total > 0;
