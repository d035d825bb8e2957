-- title: Resources, occupancy, waves and tail of each configuration's main launch, beside its time
-- parameters: :experiment, :system, :device
-- empty: the occupancy of no kernel is known; runs on a GPU, and on the CPU device with --target, compute it
SELECT system || '/' || experiment AS experiment, run_device, kind, configuration, iif(outcome = 'correct' AND unverified IS NOT NULL, 'unverified', outcome) AS outcome, occupancy_device, kernel,
  grid, block, registers, spill_bytes, static_shared_bytes + dynamic_shared_bytes AS shared_bytes, blocks_per_sm,
  driver_blocks_per_sm, limiter, occupancy, waves, full_waves, tail_fraction, quantisation_efficiency, active_sms, sms,
  median_ns / 1000 AS median_us
FROM current_trial
  JOIN trial_waves USING (trial_id, device, kind)
  LEFT JOIN trial_time USING (trial_id, device, kind)
WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
ORDER BY system, current_trial.experiment, run_kind DESC, run_device, variant, grid * block, grid DESC, configuration;
