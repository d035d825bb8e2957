-- claim: In v1, 30.53 % of the stalls are memory dependency.
-- system: nbody_force_law
-- source: Brute-force N-body on GTX 1060, profiler
-- place: TODO
-- holds if: long_scoreboard is 24 to 37 % of a warp's stalls in v1 (view counter_stall, without selected, of the
--   configurations of nbody_force_law/variants, by 'tailwave counters' or Nsight Compute)
WITH stalls AS (
  SELECT gpu_trial.device, gpu_trial.occupancy, active_sms, gpu_trial.sms, sum(per_issue) AS total,
    sum(per_issue) FILTER (WHERE reason = 'long_scoreboard') AS memory
  FROM gpu_trial JOIN trial ON trial.id = gpu_trial.trial_id
    JOIN counter_launch ON counter_launch.configuration_id = trial.configuration_id
      AND counter_launch.device = gpu_trial.device AND counter_launch.kernel = gpu_trial.kernel AND age = 1
    JOIN counter_stall USING (counter_run_id, position)
  WHERE gpu_trial.system = 'nbody_force_law' AND gpu_trial.experiment = 'variants' AND gpu_trial.variant = 'v1'
    AND n = 20480 AND block_size = 1024 AND NOT gpu_trial.parameters ->> 'FAST_MATH' AND reason <> 'selected'
  GROUP BY gpu_trial.trial_id)
SELECT device, (memory / total BETWEEN 0.24 AND 0.37) AS holds,
  printf('%.2f of %.2f warps that wait do so for memory: %.1f %%.', memory, total, 100 * memory / total) AS evidence,
  printf('%d of %d SMs have a block, at %.0f %% occupancy; each thread loads a body from global memory for every '
    || 'pair.', active_sms, sms, 100 * occupancy) AS explanation,
  1 AS holds_there, 'TODO' AS there
FROM stalls WHERE memory IS NOT NULL AND total > 0;
