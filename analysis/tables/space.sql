-- title: The values that each parameter and problem quantity takes in an experiment
-- parameters: :experiment, :system, :device
WITH taken AS (
  SELECT DISTINCT system, experiment, run_device, run_kind, variant, item.key AS parameter, iif(item.type IN ('true', 'false'), item.type, item.atom) AS value
  FROM current_trial, json_each(json_patch(current_trial.problem, current_trial.parameters)) AS item
  WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
    AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
  ORDER BY value)
SELECT system || '/' || experiment AS experiment, run_device, run_kind AS kind, variant, parameter,
  count(*) AS "values", group_concat(value, ' ') AS list
FROM taken
GROUP BY system, taken.experiment, run_device, run_kind, variant, parameter
ORDER BY system, taken.experiment, run_kind DESC, run_device, variant, parameter;
