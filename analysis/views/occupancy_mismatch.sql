-- Launches whose blocks per SM as computed offline differ from what the driver answered.
CREATE VIEW occupancy_mismatch AS
SELECT launch.trial_id, run.system, run.experiment, device.name AS device, device.kind,
  configuration.name AS configuration, launch.kernel, launch.occupancy_device,
  launch.blocks_per_sm AS offline_blocks_per_sm, launch.driver_blocks_per_sm
FROM launch
  JOIN trial ON trial.id = launch.trial_id
  JOIN run ON run.id = trial.run_id
  JOIN device ON device.id = trial.device_id
  JOIN configuration ON configuration.id = trial.configuration_id
WHERE launch.blocks_per_sm <> launch.driver_blocks_per_sm;
