-- Cost against each parameter of a space of 20 or more timed configurations: the geometric mean of all with a value, and the
-- best of them, over the lowest cost of all. The eight parameters that explain most, as in tables/importance.sql.
WITH
  costs AS MATERIALIZED (
    SELECT *, ln(cost) AS log_cost FROM space_cost
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind AND cost > 0),
  timed AS MATERIALIZED (
    SELECT trial_id, problem, variant, parameters, log_cost, count(*) OVER of AS configurations, avg(log_cost) OVER of AS mean,
      min(log_cost) OVER of AS lowest
    FROM costs WINDOW of AS (PARTITION BY problem)),
  given AS MATERIALIZED (
    SELECT timed.*, item.key AS parameter, iif(item.type IN ('true', 'false'), item.type, item.value) AS setting
    FROM timed, json_each(parameters) AS item WHERE configurations >= 20
    UNION ALL
    SELECT timed.*, 'variant', variant FROM timed
    WHERE configurations >= 20 AND json_type(parameters, '$.variant') IS NULL),
  partial AS (
    SELECT problem, parameter FROM given GROUP BY problem, parameter HAVING count(*) < configurations),
  settings AS (
    SELECT * FROM given
    UNION ALL
    SELECT timed.*, parameter, '-' FROM timed JOIN partial USING (problem)
    WHERE NOT EXISTS (SELECT 1 FROM json_each(parameters) WHERE key = parameter)),
  cells AS (
    SELECT problem, configurations, parameter, setting, count(*) AS n, avg(log_cost) - mean AS off, avg(log_cost) - lowest AS above,
      min(log_cost) - lowest AS best
    FROM settings GROUP BY problem, parameter, setting),
  varied AS (
    SELECT *, sum(n * off * off) OVER of AS explained, count(*) OVER of AS settings,
      row_number() OVER (PARTITION BY problem, parameter ORDER BY setting) AS position
    FROM cells WINDOW of AS (PARTITION BY problem, parameter)),
  ranked AS (
    SELECT *, dense_rank() OVER (PARTITION BY problem ORDER BY explained DESC, parameter) AS rank,
      max(explained) OVER (PARTITION BY problem) AS most,
      explained / (SELECT sum((log_cost - mean) * (log_cost - mean)) FROM timed WHERE timed.problem = varied.problem) AS share
    FROM varied WHERE settings > 1)
SELECT problem AS chart, 'Cost by the value of each parameter on ' || :device AS title,
  printf('%s: %,d configurations; the share of their variance that the parameter alone explains', :experiment, configurations) ||
    char(10) || 'over the lowest cost: geometric mean of all with the value (line), the best of them (rings)' AS subtitle,
  printf('%s: %.3g %%', parameter, 100 * share) AS panel, rank, setting, position, round(exp(above), 4) AS mean,
  round(exp(best), 4) AS best
FROM ranked
WHERE rank <= 8 AND most > 0 AND EXISTS (SELECT 1 FROM ranked AS other WHERE other.problem = ranked.problem AND other.rank = 2)
ORDER BY problem, rank, position;
