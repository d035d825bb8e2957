-- claim: From gpu5 to v1 the main reason of stalls moves from execution dependency to memory dependency.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler
-- confirmed if: of a warp's stalls, execution dependency (wait, short_scoreboard, math_pipe_throttle) outweighs memory
--   dependency (long_scoreboard) in gpu5 and not in v1 (profile_metric
--   smsp__average_warps_issue_stalled_REASON_per_issue_active.ratio of nbody_force_law/variants)
WITH
  stalls AS (
    SELECT device, variant, occupancy, active_sms, sms,
      sum(profile_metric.value) FILTER (WHERE name LIKE '%stalled_long_scoreboard_per%') AS memory,
      sum(profile_metric.value) FILTER (
        WHERE name LIKE '%stalled_wait_per%' OR name LIKE '%stalled_short_scoreboard_per%'
          OR name LIKE '%stalled_math_pipe_throttle_per%') AS execution
    FROM gpu_trial JOIN profile_metric USING (trial_id)
    WHERE system = 'nbody_force_law' AND experiment = 'variants' AND n = 20480 AND block_size = 1024 AND launch = 0
      AND NOT parameters ->> 'FAST_MATH' AND name LIKE 'smsp__average_warps_issue_stalled_%_per_issue_active.ratio'
    GROUP BY trial_id)
SELECT device,
  CASE WHEN gpu5.execution > gpu5.memory AND v1.execution <= v1.memory THEN 'confirmed' ELSE 'refuted' END AS verdict,
  printf('Warps waiting for each that issues: gpu5 %.2f for execution and %.2f for memory, v1 %.2f and %.2f.',
    gpu5.execution, gpu5.memory, v1.execution, v1.memory) AS evidence,
  printf('%d of %d SMs have a block, at %.0f and %.0f %% occupancy: divisions and roots are chains of dependent '
    || 'instructions, which v1 has hardly any of.', v1.active_sms, v1.sms, 100 * gpu5.occupancy, 100 * v1.occupancy)
    AS explanation
FROM stalls AS gpu5 JOIN stalls AS v1 USING (device)
WHERE gpu5.variant = 'gpu5' AND v1.variant = 'v1' AND gpu5.memory IS NOT NULL AND gpu5.execution IS NOT NULL
  AND v1.memory IS NOT NULL AND v1.execution IS NOT NULL;
