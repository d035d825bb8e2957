-- How near a timed current trial came to what the device allows: one row a limit, the tightest with place 1.
CREATE VIEW trial_limit AS
SELECT
  trial_id, experiment, system, device, kind, variant, parameters, problem,
  time_limit.name AS limit_name,
  time_limit.time_ns AS limit_ns,
  median_ns,
  time_limit.time_ns / median_ns AS share,
  rank() OVER (PARTITION BY system, experiment, trial_id ORDER BY time_limit.time_ns DESC) AS place
FROM current_trial
JOIN trial_time USING (trial_id, device, kind)
JOIN time_limit USING (trial_id);
