-- title: The energy of an execution, its power, and the sustained time beside the burst time, of those that were executed back to back for seconds
-- parameters: :experiment, :system, :device
-- empty: no energy was measured; 'energy' in a spec asks for it (docs/measuring.md)
SELECT system || '/' || experiment AS experiment, run_device, configuration,
  (SELECT median_ns FROM trial_time WHERE trial_time.trial_id = current_trial.trial_id) / 1000 AS burst_us,
  iif(missing IS NULL, 1e6 * window_s / executions, NULL) AS sustained_us,
  iif(missing IS NULL, joules / counted_s, NULL) AS power_w,
  iif(missing IS NULL, joules / counted_s * window_s / executions, NULL) AS energy_j,
  executions, window_s, counted_s, sm_clock_low_mhz, sm_clock_high_mhz, temperature_c, power_limit_w, throttle_reasons, missing, unverified
FROM current_trial JOIN trial_energy USING (trial_id)
WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
ORDER BY system, current_trial.experiment, run_kind DESC, run_device, problem, energy_j NULLS LAST, configuration
