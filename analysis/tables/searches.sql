-- title: Searches: strategy, seed, budget, what was evaluated and the best found, the latest first
-- parameters: :experiment, :system, :device, :limit
-- empty: there are no searches; 'tailwave tune' makes one
WITH
  stepped AS (
    SELECT run_id, count(*) AS evaluations, count(cost) AS correct, min(cost) AS cost, max(seconds) AS seconds
    FROM search_step GROUP BY run_id),
  found AS (
    SELECT search_step.run_id, min(step) AS step, configuration.name, configuration.problem, configuration.id AS configuration_id
    FROM search_step
      JOIN stepped ON stepped.run_id = search_step.run_id AND stepped.cost = search_step.cost
      JOIN configuration ON configuration.id = configuration_id
    GROUP BY search_step.run_id)
SELECT search.run_id AS search, system || '/' || experiment AS experiment, device.name AS device, strategy, options,
  search.seed, budget_evaluations, budget_seconds, until, space_size, pruned, coalesce(evaluations, none) AS evaluations,
  coalesce(correct, none) AS correct, 1.0 * coalesce(evaluations, none) / space_size AS share, metric,
  -- of the metric, in SI units, as the search saw it: views of trials have it as measured again
  CASE WHEN metric_expression IS NOT NULL THEN iif(maximise, 1 / cost, cost)
    WHEN metric = 'time' AND maximise THEN 1e-9 / cost WHEN metric = 'time' THEN cost * 1e-9
    WHEN maximise THEN 1e9 / cost ELSE cost * 1e9 END AS best,
  found.step AS found_at, found.name AS best_configuration,
  (SELECT unverified FROM trial WHERE trial.configuration_id = found.configuration_id AND trial.run_id <= search.run_id
   ORDER BY trial.run_id DESC LIMIT 1) AS unverified, seconds, stopped_by, final_run_id AS final_run
FROM search
  -- older recordings lack the steps of a search
  JOIN (SELECT *, iif(recorded_from IS NULL, 0, NULL) AS none FROM run) AS run ON run.id = search.run_id
  JOIN device ON device.id = run.device_id
  LEFT JOIN stepped ON stepped.run_id = search.run_id
  LEFT JOIN found ON found.run_id = search.run_id
WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (device.name, device.kind))
ORDER BY started_at DESC, search.run_id DESC
LIMIT coalesce(:limit, -1);
