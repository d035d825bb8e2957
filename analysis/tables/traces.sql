-- title: Each trace: what tracing changed, and the waves, utilisation and cause of lost time of its longest launch
-- parameters: :experiment, :system, :device
-- empty: there are no traces; 'tailwave trace' makes them on a GPU
-- needs: SELECT 1 FROM trace JOIN device ON device.id = device_id WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind)) LIMIT 1
WITH
  longest AS (
    SELECT *, row_number() OVER (PARTITION BY trace_id ORDER BY duration_ns DESC, position) AS rank FROM trace_idle)
SELECT trace.id AS trace, trace.system || '/' || trace.experiment AS experiment, device.name AS device, device.kind,
  configuration.name AS configuration, plain_time_ns / 1000 AS plain_us, traced_time_ns / 1000 AS traced_us,
  traced_time_ns / plain_time_ns AS traced_ratio, disturbed, kernel, registers, traced_registers, blocks, blocks_per_sm,
  traced_blocks_per_sm, max_residency AS seen_blocks_per_sm,
  1.0 * grid_x * grid_y * grid_z / coalesce(cluster_slots, trace_launch.sms * blocks_per_sm) AS waves, waves AS seen_waves,
  longest.duration_ns / 1000.0 AS duration_us, noted_one_in, utilisation, cause
FROM longest
  JOIN trace_launch USING (trace_id, position)
  JOIN trace ON trace.id = trace_id
  JOIN device ON device.id = device_id
  JOIN configuration ON configuration.id = configuration_id
WHERE rank = 1 AND (:experiment IS NULL AND instr(trace.experiment, '@') = 0 OR :experiment IN (trace.experiment, trace.system || '/' || trace.experiment))
  AND (:system IS NULL OR :system = trace.system) AND (:device IS NULL OR :device IN (device.name, device.kind))
ORDER BY trace.system, trace.experiment, device.kind DESC, device.name, configuration.name, trace.id;
