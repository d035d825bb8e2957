-- title: What the code of configurations printed: the beginning of it, and how much followed
-- parameters: :experiment, :system, :device, :configuration
-- empty: nothing was printed
SELECT system || '/' || experiment AS experiment, run_device, configuration, outcome, kernel_output
FROM current_trial JOIN (SELECT id AS trial_id, kernel_output FROM trial) USING (trial_id)
WHERE kernel_output IS NOT NULL
  AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
  AND (:configuration IS NULL OR :configuration = configuration)
ORDER BY system, current_trial.experiment, run_kind DESC, run_device, configuration;
