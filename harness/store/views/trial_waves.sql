-- The main launch of each trial (see main_launch) with its resources, occupancy and waves. occupancy_device is what
-- blocks_per_sm, occupancy and waves were computed for. cluster: blocks of one; active_clusters: those that run at once, by
-- the driver where it was asked. sms: those of the GPU that ran it that the launch may use. Of one
-- table, as trial_time.
CREATE VIEW trial_waves AS
SELECT trial_id, (SELECT name FROM trial JOIN device ON device.id = device_id WHERE trial.id = trial_id) AS device,
  (SELECT kind FROM trial JOIN device ON device.id = device_id WHERE trial.id = trial_id) AS kind, kernel,
  grid_x * grid_y * grid_z AS grid, block_x * block_y * block_z AS block, dynamic_shared_bytes, registers, spill_bytes,
  static_shared_bytes, occupancy_device, blocks_per_sm, driver_blocks_per_sm, limiter, occupancy, waves, full_waves,
  tail_fraction, quantisation_efficiency, active_sms, sms_asked,
  (SELECT coalesce(sms_granted, sms_asked, device.sms) FROM trial JOIN device ON device.id = device_id
   WHERE trial.id = trial_id AND device.kind = 'cuda') AS sms,
  cluster_x * cluster_y * cluster_z AS cluster, coalesce(driver_active_clusters, active_clusters) AS active_clusters
FROM launch
WHERE position = (SELECT main_launch.position FROM main_launch WHERE of = 'trial' AND main_launch.id = launch.trial_id);
