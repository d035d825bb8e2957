-- How many times better than the slowest correct configuration of the same problem, experiment and device. Times
-- of different devices are never compared here, nor those of kernels, programs and host variants.
CREATE VIEW speedup AS
WITH
  valued AS (
    SELECT current_trial.*, trial_rate.value,
      first_value(configuration) OVER alike AS slowest, first_value(value) OVER alike AS slowest_value
    FROM current_trial JOIN trial_rate USING (trial_id, device, kind, metric, maximise)
    WHERE value > 0
    WINDOW alike AS (PARTITION BY system, experiment, run_device, run_kind, device, kind, peers, problem
                     ORDER BY CASE WHEN maximise THEN value ELSE -value END, configuration))
SELECT trial_id, system, experiment, run_device, run_kind, device, kind, problem, configuration, metric, value, slowest,
  slowest_value, CASE WHEN maximise THEN value / slowest_value ELSE slowest_value / value END AS speedup
FROM valued;
