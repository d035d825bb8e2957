-- How the time of one configuration moved while a run lasted: it is measured again in every block. ratio: above 1, it is
-- slower than in the trial that came first.
CREATE VIEW run_drift AS
WITH
  blocks AS (
    SELECT run_id, configuration_id, block, count(*) AS samples, median(time_ns) AS median_ns,
      median(sm_clock_mhz) AS sm_clock_mhz, median(temperature_c) AS temperature_c
    FROM drift_sample GROUP BY run_id, configuration_id, block)
SELECT blocks.run_id, run.system, run.experiment, device.name AS run_device, device.kind AS run_kind,
  configuration.name AS configuration, blocks.block, blocks.samples, blocks.median_ns,
  blocks.median_ns / trial_time.median_ns AS ratio, blocks.sm_clock_mhz, blocks.temperature_c
FROM blocks
  JOIN run ON run.id = blocks.run_id
  JOIN device ON device.id = run.device_id
  JOIN configuration ON configuration.id = blocks.configuration_id
  LEFT JOIN trial ON trial.run_id = blocks.run_id AND trial.configuration_id = blocks.configuration_id
  LEFT JOIN trial_time ON trial_time.trial_id = trial.id;
