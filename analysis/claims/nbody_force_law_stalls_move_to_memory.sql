-- claim: From gpu5 to v1 the main reason of stalls moves from execution dependency to memory dependency.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler
-- place: TODO
-- holds if: of a warp's stalls, execution dependency (wait, short_scoreboard, math_pipe_throttle) outweighs memory
--   dependency (long_scoreboard) in gpu5_repaired and not in v1 (view counter_stall of the configurations of
--   nbody_force_law/variants, by 'tailwave counters' or Nsight Compute)
WITH stalls AS (
  SELECT gpu_trial.device, gpu_trial.variant, gpu_trial.occupancy, active_sms, gpu_trial.sms,
    sum(per_issue) FILTER (WHERE reason = 'long_scoreboard') AS memory,
    sum(per_issue) FILTER (WHERE reason IN ('wait', 'short_scoreboard', 'math_pipe_throttle')) AS execution
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
    JOIN counter_stall USING (counter_run_id, position)
  WHERE gpu_trial.system = 'nbody_force_law' AND gpu_trial.experiment = 'variants' AND n = 20480
    AND block_size = 1024 AND NOT gpu_trial.parameters ->> 'FAST_MATH' AND reason <> 'selected'
  GROUP BY gpu_trial.trial_id)
SELECT device,
  (gpu5.execution > gpu5.memory AND v1.execution <= v1.memory) AS holds,
  printf('Warps waiting for each that issues: gpu5 %.2f for execution and %.2f for memory, v1 %.2f and %.2f.',
    gpu5.execution, gpu5.memory, v1.execution, v1.memory) AS evidence,
  printf('%d of %d SMs have a block, at %.0f and %.0f %% occupancy: divisions and roots are chains of dependent '
    || 'instructions, which v1 has hardly any of.', v1.active_sms, v1.sms, 100 * gpu5.occupancy, 100 * v1.occupancy)
    AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM stalls AS gpu5 JOIN stalls AS v1 USING (device)
WHERE gpu5.variant = 'gpu5_repaired' AND v1.variant = 'v1' AND gpu5.memory IS NOT NULL AND gpu5.execution IS NOT NULL
  AND v1.memory IS NOT NULL AND v1.execution IS NOT NULL;
