-- claim: From gpu5 to v1 the stalls fall by 37.85 % in total.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler
-- confirmed if: the sum over all reasons of v1 is 30 to 45 % below that of gpu5 (profile_metric
--   smsp__average_warps_issue_stalled_REASON_per_issue_active.ratio of nbody_force_law/variants)
WITH stalls AS (
  SELECT device, variant, occupancy, active_sms, sms, sum(profile_metric.value) AS total
  FROM gpu_trial JOIN profile_metric USING (trial_id)
  WHERE system = 'nbody_force_law' AND experiment = 'variants' AND n = 20480 AND block_size = 1024 AND launch = 0
    AND NOT parameters ->> 'FAST_MATH' AND name LIKE 'smsp__average_warps_issue_stalled_%_per_issue_active.ratio'
  GROUP BY trial_id)
SELECT device, CASE WHEN 1 - v1.total / gpu5.total BETWEEN 0.30 AND 0.45 THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('%.2f warps wait for each that issues in gpu5 and %.2f in v1: %.1f %% less.', gpu5.total, v1.total,
    100 * (1 - v1.total / gpu5.total)) AS evidence,
  printf('%d of %d SMs have a block, at %.0f and %.0f %% occupancy.', v1.active_sms, v1.sms, 100 * gpu5.occupancy,
    100 * v1.occupancy) AS explanation
FROM stalls AS gpu5 JOIN stalls AS v1 USING (device)
WHERE gpu5.variant = 'gpu5' AND v1.variant = 'v1' AND gpu5.total > 0;
