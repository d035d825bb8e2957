-- title: How much of the variance of log cost each parameter of a variant explains beyond those above it, and each pair beyond both
-- parameters: :experiment, :system, :device, :pairs (0: parameters alone), :limit (how many rows of each space)
-- empty: no parameter takes two values among the configurations that have a time
WITH
  costs AS MATERIALIZED (  -- a cost takes time, so that it is computed once
    SELECT * FROM space_cost
    WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind)) AND cost > 0),
  given AS (  -- a space for each variant, and one for the choice among them
    SELECT system, experiment, run_device, run_kind, problem, variant, trial_id, ln(cost) AS y, item.key AS parameter,
      iif(item.type IN ('true', 'false'), item.type, item.value) AS setting
    FROM costs, json_each(parameters) AS item
    UNION ALL
    SELECT system, experiment, run_device, run_kind, problem, NULL, trial_id, ln(cost), 'variant', variant FROM costs),
  spaces AS MATERIALIZED (
    SELECT system, experiment, run_device, run_kind, problem, variant, count(DISTINCT trial_id) AS configurations,
      parameter_effects(trial_id, parameter, setting, y, coalesce(:pairs, 1)) AS effects
    FROM given GROUP BY 1, 2, 3, 4, 5, 6),
  effects AS (
    SELECT spaces.*, item.value AS effect, item.key + 1 AS rank, item.value ->> 'parameter' AS parameter
    FROM spaces, json_each(effects) AS item)
SELECT system || '/' || experiment AS experiment, run_device, run_kind AS kind, problem, variant,
  CASE WHEN parameter IS NOT NULL THEN parameter WHEN variant IS NULL THEN '(within variants)'
    WHEN coalesce(:pairs, 1) = 0 THEN '(two or more, noise)' ELSE '(three or more, noise)' END AS parameter,
  effect ->> 'with' AS "with", effect ->> 'values' AS "values", round(effect ->> 'share', 9) AS share, round(effect ->> 'alone', 9) AS alone, effect ->> 'best' AS best_value,
  effect ->> 'of_best' AS value_of_best, round(effect ->> 'worst_over_best', 9) AS worst_over_best, configurations
FROM effects
WHERE :limit IS NULL OR rank <= :limit OR parameter IS NULL
ORDER BY system, effects.experiment, run_kind DESC, run_device, problem, variant IS NOT NULL, variant, rank;
