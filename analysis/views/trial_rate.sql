-- The value of the experiment's metric for each timed trial, in SI units: seconds for 'time', else the work
-- quantity over the median time.
CREATE VIEW trial_rate AS
WITH timed AS (
  SELECT trial.id AS trial_id, trial_time.device, trial_time.kind, run.metric, run.maximise,
    trial_time.median_ns / 1e9 AS median_s,
    json_extract(trial.work, '$."' || replace(run.metric, '_per_second', '') || '"') AS work
  FROM trial
    JOIN trial_time ON trial_time.trial_id = trial.id
    JOIN run ON run.id = trial.run_id)
SELECT trial_id, device, kind, metric, maximise, work,
  CASE WHEN metric = 'time' THEN median_s ELSE work / nullif(median_s, 0) END AS value
FROM timed;
