-- title: Where each traced launch lost the time of its slots, in percent of all of it (docs/waves.md)
-- parameters: :experiment, :system, :device
-- empty: there are no traces; 'tailwave trace' makes them on a GPU
-- needs: SELECT 1 FROM trace JOIN device ON device.id = device_id WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment)) AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind)) LIMIT 1
SELECT trace_id AS trace, trace.system || '/' || trace.experiment AS experiment, device.name AS device, device.kind,
  configuration.name AS configuration, kernel, blocks, waves, round(100 * utilisation, 2) AS busy_percent,
  round(100 * idle, 2) AS idle_percent, round(100 * ramp, 2) AS ramp,
  round(100 * early_warps, 2) AS early_warps, round(100 * hand_over, 2) AS hand_over,
  round(100 * quantisation, 2) AS quantisation, round(100 * drain, 2) AS drain,
  round(100 * sm_imbalance, 2) AS sm_imbalance,
  round(100 * block_variance, 2) AS block_variance, cause, disturbed, doubtful
FROM trace_idle
  JOIN trace_launch USING (trace_id, position)
  JOIN trace ON trace.id = trace_id
  JOIN device ON device.id = device_id
  JOIN configuration ON configuration.id = configuration_id
WHERE (:experiment IS NULL AND instr(trace.experiment, '@') = 0 OR :experiment IN (trace.experiment, trace.system || '/' || trace.experiment))
  AND (:system IS NULL OR :system = trace.system) AND (:device IS NULL OR :device IN (device.name, device.kind))
ORDER BY trace.system, trace.experiment, device.kind DESC, device.name, configuration.name, trace_id, position;
