-- The value of the experiment's metric for each timed trial, in SI units: what another tuner recorded as its objective
-- (table measurement; the metric, if it is one of several), which need not be a statistic of the samples; else seconds
-- for 'time', or the work quantity over the median time. Of a metric by an expression its value in its own unit
-- (trial_metric). Of a run on several GPUs as its first GPU would have it (gpu_factor), but for metrics by an
-- expression. Of one table, as trial_time.
CREATE VIEW trial_rate AS
SELECT trial_id, device, kind, metric, maximise, work,
  coalesce(recorded, CASE WHEN own_value IS NOT NULL THEN
      (SELECT value FROM trial_metric WHERE trial_metric.trial_id = numbers.trial_id AND position = 0)
    WHEN metric = 'time' THEN median_s ELSE work / nullif(median_s, 0) END) AS value
FROM (
  SELECT id AS trial_id, (SELECT name FROM device WHERE device.id = device_id) AS device,
    (SELECT kind FROM device WHERE device.id = device_id) AS kind,
    (SELECT metric FROM run WHERE run.id = run_id) AS metric, (SELECT metric_expression FROM run WHERE run.id = run_id) AS own_value,
    (SELECT maximise FROM run WHERE run.id = run_id) AS maximise,
    (SELECT value * CASE WHEN unit IN ('ms', 'milliseconds') THEN 1e-3 WHEN unit IN ('us', 'microseconds') THEN 1e-6
        WHEN unit IN ('ns', 'nanoseconds') THEN 1e-9 ELSE 1 END
     FROM measurement JOIN run ON run.id = run_id WHERE measurement.trial_id = trial.id AND objective = 1
     ORDER BY name <> metric, name LIMIT 1) AS recorded,
    (SELECT median_ns FROM trial_time WHERE trial_time.trial_id = trial.id) / 1e9 / coalesce(
      (SELECT factor FROM gpu_factor WHERE gpu_factor.run_id = trial.run_id AND gpu_factor.device_id = trial.device_id), 1)
      AS median_s,
    (SELECT json_extract(trial.work, '$."' || replace(metric, '_per_second', '') || '"') FROM run WHERE run.id = run_id)
      AS work
  FROM trial
  WHERE EXISTS (SELECT 1 FROM sample WHERE sample.trial_id = trial.id AND dropped IS NULL)
    OR EXISTS (SELECT 1 FROM measurement WHERE measurement.trial_id = trial.id AND objective = 1)) AS numbers;
