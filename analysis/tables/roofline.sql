-- title: The roofline of counted launches: flop, bytes, intensity, what was attained and what could have been (docs/counters.md)
-- parameters: :experiment, :system, :device
-- empty: no flop were counted; 'tailwave counters' without --quick does it on a GPU, and 'tailwave import --format ncu' takes Nsight Compute's CSV
-- needs: SELECT 1 FROM counter_run JOIN device ON device.id = device_id WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind)) LIMIT 1
SELECT system || '/' || experiment AS experiment, device, configuration, kernel, precision, flop,
  counter_roofline.dram_bytes, intensity AS flop_per_byte, attained_flop_per_s / 1e9 AS attained_gflop_per_s,
  ceiling_flop_per_s / 1e9 AS ceiling_gflop_per_s, bound, 100 * share AS percent,
  peak_flop_per_s / 1e9 AS peak_gflop_per_s, bandwidth_bytes_per_s / 1e9 AS peak_gb_per_s, counter_roofline.doubt
FROM counter_launch JOIN counter_roofline USING (counter_run_id, position)
WHERE age = 1 AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, kind))
ORDER BY system, counter_launch.experiment, device, configuration, position, precision;
