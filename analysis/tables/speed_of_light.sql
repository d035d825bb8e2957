-- title: How near counted launches drove each unit of the GPU to its peak, in percent, and which hardest (docs/counters.md)
-- parameters: :experiment, :system, :device
-- empty: nothing was counted; 'tailwave counters' does it on a GPU, and 'tailwave import --format ncu' takes Nsight Compute's CSV
-- needs: SELECT 1 FROM counter_run JOIN device ON device.id = device_id WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind)) LIMIT 1
SELECT system || '/' || experiment AS experiment, device, configuration, kernel, duration_ns / 1000 AS counted_us,
  max(unit) FILTER (WHERE place = 1) AS hardest, max(100 * share) FILTER (WHERE place = 1) AS percent,
  max(100 * share) FILTER (WHERE unit = 'issue') AS issue, max(100 * share) FILTER (WHERE unit = 'fma') AS fma,
  max(100 * share) FILTER (WHERE unit = 'alu') AS alu, max(100 * share) FILTER (WHERE unit = 'fp64') AS fp64,
  max(100 * share) FILTER (WHERE unit = 'xu') AS xu, max(100 * share) FILTER (WHERE unit = 'tensor') AS tensor,
  max(100 * share) FILTER (WHERE unit = 'l1') AS l1, max(100 * share) FILTER (WHERE unit = 'l2') AS l2,
  max(100 * share) FILTER (WHERE unit = 'dram') AS dram, max(100 * share) FILTER (WHERE unit = 'sm') AS sm,
  group_concat(unit || ' ' || counter_speed_of_light.doubt, ', ') AS doubt
FROM counter_launch JOIN counter_speed_of_light USING (counter_run_id, position)
WHERE age = 1 AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device, kind))
GROUP BY counter_run_id, position
ORDER BY system, counter_launch.experiment, device, configuration, position;
