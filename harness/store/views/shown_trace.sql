-- The traces of observed_launch whose clock saw time pass, once for each experiment whose page shows them: shown_in is
-- the experiment of the trace, and every other one with a current trial of the same configuration on the same device.
-- unit_ns: the unit, ns, us or ms, in which a person would say how long the launch took.
CREATE VIEW shown_trace AS
WITH
  timed AS (
    SELECT *, CASE WHEN duration_ns >= 2e6 THEN 1e6 WHEN duration_ns >= 2e3 THEN 1e3 ELSE 1.0 END AS unit_ns
    FROM observed_launch WHERE duration_ns > 0)
SELECT timed.*, experiment AS shown_in FROM timed
UNION ALL
SELECT timed.*, current_trial.experiment FROM timed
  JOIN current_trial ON current_trial.configuration_id = timed.configuration_id AND run_device = timed.device
    AND run_kind = timed.kind AND current_trial.experiment <> timed.experiment;
