-- Every number, parameter or problem quantity, of each timed current trial of a GPU's run, with the trial's main
-- launch; `others`: all the other ones, as text to compare. None where the metric is an expression, which need not be
-- about speed. For trial_change, which pairs them: DISTINCT drops nothing, but lets SQLite narrow this down to what is
-- asked for and then keep it, where it would otherwise do one or the other.
CREATE VIEW trial_setting AS
WITH
  timed AS (
    SELECT DISTINCT current_trial.trial_id, current_trial.system, current_trial.experiment, run_device, variant, configuration,
      current_trial.metric, current_trial.mode, problem, json_patch(problem, parameters) AS numbers, kernel, trial_waves.sms, grid, block, blocks_per_sm, waves,
      CASE WHEN current_trial.metric = 'time' THEN 1 / value ELSE value END AS speed
    FROM current_trial
      JOIN trial_rate ON trial_rate.trial_id = current_trial.trial_id
      JOIN trial_waves ON trial_waves.trial_id = current_trial.trial_id
      JOIN trial ON trial.id = current_trial.trial_id
      JOIN device ON device.id = trial.device_id
    WHERE run_kind = 'cuda' AND device.kind = 'cuda' AND blocks_per_sm > 0 AND value > 0
      AND (current_trial.metric = 'time') <> current_trial.maximise
      AND (SELECT metric_expression FROM run WHERE run.id = current_trial.run_id) IS NULL)
SELECT DISTINCT trial_id, system, experiment, run_device, variant, configuration, metric, mode, kernel, sms, grid, block,
  blocks_per_sm, waves, speed, grid * block AS threads, item.key AS parameter, item.atom AS setting,
  json_remove(numbers, '$."' || item.key || '"') AS others,
  json_type(problem, '$."' || item.key || '"') IS NOT NULL AS of_problem
-- `one` and `single` are a row each, which SQLite takes for 25: of an experiment that is named it would expect so few
-- rows that trial_change pairs them without an index.
FROM timed, json_each(numbers) AS item, json_each('[0]') AS one, json_each('[0]') AS single
WHERE item.type IN ('integer', 'real');
