-- Of each trial that was skipped, since a configuration with the same machine code and launches had been measured: the
-- trial that measured it, of the same run or else of the latest one before it of the same experiment on that device.
CREATE VIEW identical_trial AS
SELECT trial.id AS trial_id, coalesce((
    SELECT twin.id FROM configuration CROSS JOIN trial AS twin ON twin.configuration_id = configuration.id
    WHERE configuration.name = trial.same_as AND twin.run_id = trial.run_id AND twin.outcome <> 'skipped_identical'
      AND twin.regime IS NULL AND twin.device_id = trial.device_id), (
    SELECT twin.id
    FROM configuration
      CROSS JOIN trial AS twin ON twin.configuration_id = configuration.id
      JOIN run AS twin_run ON twin_run.id = twin.run_id
    WHERE configuration.name = trial.same_as AND twin.outcome <> 'skipped_identical' AND twin.regime IS NULL
      AND twin_run.started_at <= run.started_at
      AND twin.device_id IN (
        SELECT alike.id FROM device AS alike JOIN device AS own ON (alike.kind, alike.name) = (own.kind, own.name)
        WHERE own.id = trial.device_id) AND twin_run.system = run.system AND twin_run.experiment = run.experiment
    ORDER BY twin_run.started_at DESC, twin_run.identity DESC LIMIT 1)) AS measured_trial_id
FROM trial JOIN run ON run.id = trial.run_id
WHERE trial.outcome = 'skipped_identical';
