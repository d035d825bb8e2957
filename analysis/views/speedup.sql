-- How many times better than the slowest correct configuration of the same problem, experiment and device. Times
-- of different devices are never compared here.
CREATE VIEW speedup AS
WITH
  valued AS (
    SELECT current_trial.*, trial_rate.value,
      row_number() OVER (
        PARTITION BY system, experiment, run_device, run_kind, device, kind, problem
        ORDER BY CASE WHEN maximise THEN value ELSE -value END, configuration) AS place
    FROM current_trial JOIN trial_rate USING (trial_id, device, kind, metric, maximise)
    WHERE value > 0)
SELECT ours.trial_id, ours.system, ours.experiment, ours.run_device, ours.run_kind, ours.device, ours.kind,
  ours.problem, ours.configuration, ours.metric, ours.value, slowest.configuration AS slowest,
  slowest.value AS slowest_value,
  CASE WHEN ours.maximise THEN ours.value / slowest.value ELSE slowest.value / ours.value END AS speedup
FROM valued AS ours
  JOIN valued AS slowest USING (system, experiment, run_device, run_kind, device, kind, problem)
WHERE slowest.place = 1;
