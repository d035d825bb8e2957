-- title: What counted launches did: instructions, occupancy, shares of the peaks, main stall (docs/counters.md)
-- parameters: :experiment, :system, :device
-- empty: nothing was counted; 'tailwave counters' does it on a GPU, and 'tailwave import --format ncu' takes Nsight Compute's CSV
-- needs: SELECT 1 FROM counter_run JOIN device ON device.id = device_id WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind)) LIMIT 1
SELECT system || '/' || experiment AS experiment, device, configuration, kernel, grid, block, count AS launches, method,
  time_ns / 1000 AS plan_us, duration_ns / 1000 AS counted_us, sm_clock_mhz, instructions, ipc,
  100 * occupancy AS occupancy_percent, 100 * issue_share AS issue_percent, threads_per_instruction, hardest_unit,
  100 * hardest_share AS hardest_percent, 100 * l2_share AS l2_percent, 100 * dram_share AS dram_percent, l2_bytes,
  dram_bytes, 100 * l1_hit_share AS l1_hit_percent, 100 * l2_hit_share AS l2_hit_percent, local_bytes, sectors_per_load,
  100 * bank_conflict_share AS bank_conflict_percent, stall_reason, 100 * stall_share AS stall_percent,
  any_doubt AS doubt
FROM counter_summary
WHERE age = 1 AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, kind))
ORDER BY system, counter_summary.experiment, device, configuration, position;
