-- title: How much of a space's variance of log cost each parameter explains, and each pair beyond the sum of its two
-- parameters: :experiment, :system, :device, :pairs (0: parameters alone), :limit (how many rows of each space)
-- empty: no parameter takes two values among the configurations that have a time
WITH
  asked AS MATERIALIZED (  -- a cost takes time, so that it is computed once
    SELECT * FROM space_cost
    WHERE (:experiment IS NULL OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))),
  costs AS MATERIALIZED (
    SELECT *, ln(cost) AS log_cost, dense_rank() OVER (ORDER BY system, experiment, run_kind DESC, run_device, problem) AS space
    FROM asked WHERE cost > 0),
  timed AS MATERIALIZED (
    SELECT space, trial_id, variant, parameters, log_cost - avg(log_cost) OVER (PARTITION BY space) AS y,
      row_number() OVER (PARTITION BY space ORDER BY log_cost, configuration) AS place
    FROM costs),
  total AS MATERIALIZED (
    SELECT space, count(*) AS configurations, sum(y * y) AS squares FROM timed GROUP BY space),
  given AS MATERIALIZED (
    SELECT space, trial_id, y, place, item.key AS parameter, iif(item.type IN ('true', 'false'), item.type, item.value) AS setting
    FROM timed, json_each(parameters) AS item
    UNION ALL
    SELECT space, trial_id, y, place, 'variant', variant FROM timed WHERE json_type(parameters, '$.variant') IS NULL),
  partial AS (
    SELECT space, parameter FROM given JOIN total USING (space) GROUP BY space, parameter HAVING count(*) < configurations),
  settings AS (  -- '-': the variant lacks the parameter
    SELECT * FROM given
    UNION ALL
    SELECT space, trial_id, y, place, parameter, '-' FROM timed JOIN partial USING (space)
    WHERE NOT EXISTS (SELECT 1 FROM json_each(parameters) WHERE key = parameter)),
  varied AS MATERIALIZED (
    SELECT * FROM (
      SELECT *, min(setting) OVER of AS least, max(setting) OVER of AS most FROM settings
      WINDOW of AS (PARTITION BY space, parameter))
    WHERE least <> most),
  cells AS (
    SELECT space, parameter, setting, count(*) AS n, avg(y) AS mean, max(CASE WHEN place = 1 THEN 1 ELSE 0 END) AS has_best
    FROM varied GROUP BY space, parameter, setting),
  mains AS (
    SELECT *, row_number() OVER (PARTITION BY space, parameter ORDER BY mean, setting) AS rank,
      sum(n * mean * mean) OVER of AS explained, count(*) OVER of AS settings, max(mean) OVER of - min(mean) OVER of AS range,
      max(iif(has_best, setting, NULL)) OVER of AS of_best
    FROM cells WINDOW of AS (PARTITION BY space, parameter)),
  pair_cells AS (
    SELECT one.space, one.parameter AS parameter, other.parameter AS other, one.setting AS setting, other.setting AS other_setting,
      count(*) AS n, avg(one.y) AS mean
    FROM varied AS one JOIN varied AS other ON other.trial_id = one.trial_id AND other.parameter > one.parameter
    WHERE coalesce(:pairs, 1) <> 0
    GROUP BY 1, 2, 3, 4, 5),
  pairs AS (  -- best: of the row with the least mean
    SELECT space, parameter, other, additive_residual(setting, other_setting, n, mean) AS explained, count(*) AS settings,
      setting || ', ' || other_setting AS best, min(mean)
    FROM pair_cells GROUP BY space, parameter, other),
  effects AS (
    SELECT space, parameter, NULL AS other, settings, explained, setting AS best, of_best, exp(range) AS worst_over_best
    FROM mains WHERE rank = 1
    UNION ALL
    SELECT space, parameter, other, settings, explained, best, NULL, NULL
    FROM pairs),
  ranked AS (
    SELECT *, row_number() OVER (PARTITION BY space ORDER BY share DESC, other IS NOT NULL, parameter, other) AS rank
    FROM (SELECT *, round(explained / squares, 9) AS share FROM effects JOIN total USING (space) WHERE squares > 0))
SELECT system || '/' || experiment AS experiment, run_device, run_kind AS kind, problem, configurations, parameter, other AS "with",
  settings AS "values", share, best AS best_value, of_best AS value_of_best, worst_over_best
FROM ranked JOIN (SELECT DISTINCT space, system, experiment, run_device, run_kind, problem FROM costs) USING (space)
WHERE :limit IS NULL OR rank <= :limit
ORDER BY space, rank;
