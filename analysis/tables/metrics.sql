-- title: The metrics of experiments that have several, or one by an expression, with intervals of 95 %, or why there is no value
-- parameters: :experiment, :system, :device, :metric
-- empty: no experiment has several metrics, or one by an expression; docs/specs.md says how
SELECT system || '/' || experiment AS experiment, run_device, configuration, name AS metric, value, low, high, unit,
  iif(trial_metric.maximise, 'max', 'min') AS goal, missing,
  self_reported OR coalesce(timer = 'self-reported', 0) AS self_reported, unverified
FROM current_trial JOIN trial_metric USING (trial_id)
WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
  AND (:metric IS NULL OR :metric = name)
ORDER BY system, current_trial.experiment, run_kind DESC, run_device, trial_metric.position, name, problem,
  iif(trial_metric.maximise, -value, value) NULLS LAST, configuration;
