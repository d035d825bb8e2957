-- title: Configurations that are not correct, why, and what to do next
-- parameters: :experiment, :system, :device, :outcome
-- empty: every configuration is correct
SELECT system || '/' || experiment AS experiment, run_device, device, kind, configuration, outcome, detail, kernel_output, next_step(outcome, detail) AS next_step
FROM current_trial JOIN (SELECT id AS trial_id, kernel_output FROM trial) USING (trial_id)
WHERE outcome <> 'correct'
  AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
  AND (:outcome IS NULL OR :outcome = outcome)
ORDER BY system, current_trial.experiment, run_kind DESC, run_device, configuration;
