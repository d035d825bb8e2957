-- Launches whose blocks per SM as computed offline differ from what the driver answered. Runs first, as in
-- current_trial.
CREATE VIEW occupancy_mismatch AS
SELECT launch.trial_id, run.system, run.experiment, device.name AS device, device.kind,
  configuration.name AS configuration, launch.kernel, launch.occupancy_device,
  launch.blocks_per_sm AS offline_blocks_per_sm, launch.driver_blocks_per_sm
FROM run
  CROSS JOIN trial ON trial.run_id = run.id
  CROSS JOIN launch ON launch.trial_id = trial.id
  JOIN device ON device.id = trial.device_id
  JOIN configuration ON configuration.id = trial.configuration_id
WHERE launch.blocks_per_sm <> launch.driver_blocks_per_sm AND trial.regime IS NULL;
