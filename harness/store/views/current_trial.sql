-- The trial that counts for each configuration of an experiment on a run device: the latest one, not looking further
-- back than the last run started with --fresh that is done. run_device and run_kind say whose run it was, device and
-- kind where this trial ran (the host, for a host variant in a run on a GPU). peers: whom it is ranked among, 0 kernels,
-- 1 programs timed as processes, 2 programs by the time that they report themselves, 3 host variants; nothing compares one
-- kind with another.
-- What holds for all trials of a run is decided once (run_series); then each trial is asked by itself, nearest later
-- run first, and runs are looked at before trials (CROSS JOIN), so that a query about one experiment reads no trial of
-- another.
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
  AND NOT EXISTS (
    SELECT 1 FROM device AS later_device CROSS JOIN run AS later
    WHERE later_device.kind = run_kind AND later_device.name = run_device AND later.device_id = later_device.id
      AND later.system = series.system AND later.experiment = series.experiment
      AND (later.started_at, later.id) > (series.started_at, series.run_id)
      AND EXISTS (SELECT 1 FROM trial AS newer
                  WHERE newer.run_id = later.id AND newer.configuration_id = trial.configuration_id
                    AND coalesce(newer.regime, '') = ''))
  AND (planned_run_id IS NULL OR EXISTS (
    SELECT 1 FROM run_plan
    WHERE run_plan.run_id = planned_run_id AND run_plan.configuration_id = trial.configuration_id));
