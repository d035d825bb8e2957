-- title: How the time of one configuration moved while each run lasted (ratio to its trial; above 1: slower)
-- parameters: :experiment, :system, :device
-- empty: no run measured a configuration again while it lasted, as 'tailwave run' does of many; recorded results lack it
SELECT run_id AS run, system || '/' || experiment AS experiment, run_device, gpu, configuration, block, samples,
  median_ns / 1000 AS median_us, ratio, sm_clock_mhz, temperature_c
FROM run_drift
WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
ORDER BY run_id, block, configuration, gpu;
