-- The trial that counts for each configuration of an experiment on a run device: the latest one, not looking further
-- back than the last run started with --fresh that is done. run_device and run_kind say whose run it was, device and
-- kind where this trial ran (the host, for a host variant in a run on a GPU). peers: whom it is ranked among, 0 kernels,
-- 1 programs timed as processes, 2 programs by the time that they report themselves, 3 host variants; nothing compares one
-- kind with another.
-- What holds for all trials of a run is decided once (run_series); then each trial is asked by itself, nearest later
-- run first, then all trials of its configuration, and runs are looked at before trials (CROSS JOIN), so that a query
-- about one experiment reads no trial of another that has none of its configurations.
CREATE VIEW current_trial AS
SELECT trial.id AS trial_id, run.id AS run_id, series.system, series.experiment, series.run_device, series.run_kind,
  device.name AS device, device.kind, configuration.id AS configuration_id, configuration.name AS configuration,
  configuration.variant, configuration.parameters, configuration.problem, trial.outcome, trial.detail, trial.unverified, run.metric,
  run.maximise, trial.mode, trial.timer, trial.work,
  CASE (SELECT target FROM build WHERE build.id = trial.build_id)
    WHEN 'program' THEN 1 WHEN 'reporting_program' THEN 2 WHEN 'host' THEN 3
    ELSE iif(device.kind <> series.run_kind, 3, 0) END AS peers
FROM run_series AS series
  CROSS JOIN run ON run.id = series.run_id
  CROSS JOIN trial ON trial.run_id = series.run_id
  CROSS JOIN device ON device.id = trial.device_id
  CROSS JOIN configuration ON configuration.id = trial.configuration_id
WHERE NOT superseded
  -- where an experiment is run again and again, this alone finds nearly all that do not count
  AND NOT EXISTS (
    SELECT 1 FROM trial AS next WHERE next.run_id = next_run_id AND next.configuration_id = trial.configuration_id)
  AND (next_run_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM trial AS newer CROSS JOIN run AS later ON later.id = newer.run_id
      CROSS JOIN device AS later_device ON later_device.id = later.device_id
    WHERE newer.configuration_id = trial.configuration_id AND newer.run_id <> trial.run_id AND newer.regime IS NULL
      AND later.system = series.system AND later.experiment = series.experiment
      AND (later.started_at, later.identity) > (series.started_at, series.identity)
      AND later_device.kind = run_kind AND later_device.name = run_device))
  AND (unplanned OR EXISTS (
    SELECT 1 FROM run_plan
    WHERE run_plan.run_id = planned_run_id AND run_plan.configuration_id = trial.configuration_id));
