-- title: Launches whose blocks per SM as computed offline differ from the driver's answer
-- parameters: :experiment, :system, :device
-- empty: wherever the driver was asked, it said what is computed offline
SELECT system || '/' || experiment AS experiment, device, kind, configuration, kernel, occupancy_device,
  offline_blocks_per_sm, driver_blocks_per_sm
FROM occupancy_mismatch
WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, kind))
ORDER BY system, occupancy_mismatch.experiment, kind DESC, device, configuration, kernel;
