-- title: The best cost so far after each evaluation of each search: ns, or ns per unit of the metric's work
-- parameters: :experiment, :system, :device, :search (its run)
-- empty: there are no searches; 'tailwave tune' makes one
SELECT run_id AS search, strategy, search.seed, step, seconds, configuration.name AS configuration, cost,
  min(cost) OVER (PARTITION BY run_id ORDER BY step) AS best
FROM search
  JOIN run ON run.id = search.run_id
  JOIN device ON device.id = run.device_id
  JOIN search_step USING (run_id)
  JOIN configuration ON configuration.id = configuration_id
WHERE (:search IS NULL OR :search = run_id)
  AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, run.system || '/' || experiment))
  AND (:system IS NULL OR :system = run.system) AND (:device IS NULL OR :device IN (device.name, device.kind))
ORDER BY run_id, step;
