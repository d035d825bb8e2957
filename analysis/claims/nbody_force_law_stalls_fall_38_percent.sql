-- claim: From gpu5 to v1 the stalls fall by 37.85 % in total.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler
-- place: TODO
-- holds if: the sum over all reasons of v1 is 30 to 45 % below that of gpu5_repaired (view counter_stall, without selected,
--   of the configurations of nbody_force_law/variants, by 'tailwave counters' or Nsight Compute)
WITH stalls AS (
  SELECT gpu_trial.device, gpu_trial.variant, gpu_trial.occupancy, active_sms, gpu_trial.sms, sum(per_issue) AS total
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
    JOIN counter_stall USING (counter_run_id, position)
  WHERE gpu_trial.system = 'nbody_force_law' AND gpu_trial.experiment = 'variants' AND n = 20480
    AND block_size = 1024 AND NOT gpu_trial.parameters ->> 'FAST_MATH' AND reason <> 'selected'
  GROUP BY gpu_trial.trial_id)
SELECT device, (1 - v1.total / gpu5.total BETWEEN 0.30 AND 0.45) AS holds,
  printf('%.2f warps wait for each that issues in gpu5 and %.2f in v1: %.1f %% less.', gpu5.total, v1.total,
    100 * (1 - v1.total / gpu5.total)) AS evidence,
  printf('%d of %d SMs have a block, at %.0f and %.0f %% occupancy.', v1.active_sms, v1.sms, 100 * gpu5.occupancy,
    100 * v1.occupancy) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM stalls AS gpu5 JOIN stalls AS v1 USING (device)
WHERE gpu5.variant = 'gpu5_repaired' AND v1.variant = 'v1' AND gpu5.total > 0;
