-- Every trial that counts of the runs on a GPU, in one row with what explains its time: the main launch, and how many SMs
-- it may use, which are the GPU's unless it asks for some. device: the GPU of the run; ran_on: where this trial ran, 'cpu' for a host variant, which has no launch
-- here. Several trials of one device may come from several cards of that name. What a search or a shard chose is left out: with
-- partial_study nothing can be said of an experiment as a whole.
CREATE VIEW gpu_trial AS
SELECT current_trial.trial_id, current_trial.run_id, current_trial.system, current_trial.experiment, run_device AS device,
  current_trial.kind AS ran_on, coalesce(trial_waves.sms, device.sms) AS sms, device.clock_mhz,
  json_extract(device.properties, '$.bandwidth_gb_per_s') AS bandwidth_gb_per_s,
  variant, parameters, problem, current_trial.work, outcome, detail, current_trial.mode,
  json_extract(problem, '$.N') AS n, json_extract(parameters, '$.BLOCK_SIZE') AS block_size,
  median_ns / 1000 AS median_us, trial_rate.value, kernel, grid, block, (block + 31) / 32 AS warps_per_block,
  registers, spill_bytes, static_shared_bytes + dynamic_shared_bytes AS shared_bytes, blocks_per_sm, limiter,
  occupancy, waves, active_sms
FROM current_trial
  JOIN run ON run.id = current_trial.run_id
  JOIN device ON device.id = run.device_id
  LEFT JOIN trial_time ON trial_time.trial_id = current_trial.trial_id
  LEFT JOIN trial_rate ON trial_rate.trial_id = current_trial.trial_id
  LEFT JOIN trial_waves ON trial_waves.trial_id = current_trial.trial_id AND trial_waves.kind = 'cuda'
WHERE run_kind = 'cuda' AND (
  -- asked first, since partial_study counts trials
  NOT EXISTS (
    SELECT 1 FROM device AS choosing_device CROSS JOIN run AS choosing
    WHERE choosing_device.kind = run_kind AND choosing_device.name = run_device
      AND choosing.device_id = choosing_device.id AND choosing.system = current_trial.system
      AND choosing.experiment = current_trial.experiment
      AND (choosing.shard IS NOT NULL OR EXISTS (SELECT 1 FROM search WHERE search.run_id = choosing.id)))
  OR (current_trial.system, current_trial.experiment, run_device) NOT IN (
    SELECT system, experiment, run_device FROM partial_study WHERE run_kind = 'cuda'));
