-- title: What each value of a parameter or problem quantity gives: the best, median and worst of its configurations
-- parameters: :experiment, :system, :device, :parameter
-- empty: no parameter or problem quantity takes two values
WITH
  tried AS MATERIALIZED (
    SELECT current_trial.*, trial_rate.value AS rate
    FROM current_trial LEFT JOIN trial_rate ON trial_rate.trial_id = current_trial.trial_id
    WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))),
  assigned AS (
    SELECT tried.*, item.key AS parameter, iif(item.type IN ('true', 'false'), item.type, item.atom) AS setting
    FROM tried, json_each(json_patch(tried.problem, tried.parameters)) AS item),
  grouped AS (
    SELECT system, experiment, run_device, device, kind, variant, parameter, setting, metric,
      count(*) AS configurations, count(rate) AS correct, count(iif(rate IS NULL, NULL, unverified)) AS unverified,
      CASE WHEN maximise THEN max(rate) ELSE min(rate) END AS best, median(rate) AS median,
      CASE WHEN maximise THEN min(rate) ELSE max(rate) END AS worst,
      count(*) OVER (PARTITION BY system, experiment, run_device, device, kind, variant, parameter) AS settings
    FROM assigned
    GROUP BY system, experiment, run_device, run_kind, device, kind, variant, parameter, setting)
SELECT system || '/' || experiment AS experiment, run_device, device, kind, variant, parameter, setting AS value,
  configurations, correct, unverified, metric, best, median, worst
FROM grouped
WHERE settings > 1 AND (:parameter IS NULL OR :parameter = parameter)
ORDER BY system, grouped.experiment, run_device, kind DESC, device, variant, parameter, setting;
