-- The trial that counts for each configuration of an experiment on a run device: the latest one, not looking
-- further back than the last run started with --fresh. run_device and run_kind say whose run it was, device and
-- kind where this trial ran (the host, for a host variant in a run on a GPU).
CREATE VIEW current_trial AS
WITH
  numbered AS (
    SELECT run.*, device.name AS run_device, device.kind AS run_kind,
      row_number() OVER history AS number
    FROM run JOIN device ON device.id = run.device_id
    WINDOW history AS (PARTITION BY run.system, run.experiment, device.kind, device.name
                       ORDER BY run.started_at, run.id)),
  counting AS (
    SELECT *, max(number * fresh) OVER (PARTITION BY system, experiment, run_kind, run_device) AS last_fresh
    FROM numbered),
  planned AS (
    SELECT id, system, experiment, run_kind, run_device, row_number() OVER (
        PARTITION BY system, experiment, run_kind, run_device ORDER BY number DESC) AS plan_age
    FROM numbered WHERE EXISTS (SELECT 1 FROM run_plan WHERE run_id = numbered.id)),
  ranked AS (
    SELECT counting.*, trial.id AS trial_id, trial.configuration_id, trial.device_id AS trial_device_id,
      trial.outcome, trial.detail, trial.mode, trial.timer, trial.work,
      row_number() OVER (
        PARTITION BY counting.system, experiment, run_kind, run_device, trial.configuration_id
        ORDER BY number DESC) AS age
    FROM counting JOIN trial ON trial.run_id = counting.id
    WHERE number >= last_fresh)
SELECT ranked.trial_id, ranked.id AS run_id, ranked.system, ranked.experiment, ranked.run_device, ranked.run_kind,
  device.name AS device, device.kind, configuration.id AS configuration_id, configuration.name AS configuration,
  configuration.variant, configuration.parameters, configuration.problem, ranked.outcome, ranked.detail,
  ranked.metric, ranked.maximise, ranked.mode, ranked.timer, ranked.work
FROM ranked
  JOIN configuration ON configuration.id = ranked.configuration_id
  JOIN device ON device.id = ranked.trial_device_id
  LEFT JOIN planned ON planned.system = ranked.system AND planned.experiment = ranked.experiment
    AND planned.run_kind = ranked.run_kind AND planned.run_device = ranked.run_device AND plan_age = 1
WHERE age = 1 AND (planned.id IS NULL OR EXISTS (
  SELECT 1 FROM run_plan WHERE run_id = planned.id AND run_plan.configuration_id = ranked.configuration_id));
