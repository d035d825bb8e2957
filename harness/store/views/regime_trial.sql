-- What became of the best configurations of an experiment in each of the regimes in which they were measured last, on
-- a run device: a row for each of these finalists and regimes, of the latest run that has finalists of their problem.
-- place and reason: among the experiment's configurations, and why it was measured again; place 1 was the winner. own: 1
-- for the regime that is as the experiment itself measures. What was measured before the latest --fresh run that is done
-- is left out. None of these trials is in current_trial.
CREATE VIEW regime_trial AS
SELECT trial.id AS trial_id, finalist.run_id, system, experiment, run_device, run_kind, started_at, finalist.problem,
  finalist.configuration_id, configuration, variant, parameters, place, reason, regime.name AS regime,
  regime.position, regime.mode, regime.cache, fills, own, outcome, detail, unverified, metric, maximise
FROM (
  SELECT regime_finalist.*, run.system, run.experiment, run.started_at, run.identity, run.metric, run.maximise,
    device.name AS run_device, device.kind AS run_kind, configuration.name AS configuration, configuration.variant,
    configuration.parameters, configuration.problem,
    first_value(run_id) OVER (
      PARTITION BY run.system, run.experiment, device.kind, device.name, configuration.problem
      ORDER BY run.started_at DESC, run.identity DESC) AS latest_run_id
  FROM regime_finalist
    CROSS JOIN run ON run.id = run_id
    CROSS JOIN device ON device.id = run.device_id
    CROSS JOIN configuration ON configuration.id = configuration_id) AS finalist
  CROSS JOIN regime ON regime.run_id = finalist.run_id
  CROSS JOIN trial ON trial.run_id = finalist.run_id AND trial.configuration_id = finalist.configuration_id
    AND coalesce(trial.regime, '') = regime.name
WHERE finalist.run_id = latest_run_id
  AND NOT EXISTS (
    SELECT 1 FROM device AS later_device CROSS JOIN run AS later
    WHERE later_device.kind = run_kind AND later_device.name = run_device AND later.device_id = later_device.id
      AND later.system = finalist.system AND later.experiment = finalist.experiment AND later.fresh
      AND later.status = 'done' AND (later.started_at, later.identity) > (finalist.started_at, finalist.identity));
