-- Throughput (or time, where that is the metric) against BLOCK_SIZE, a line for each variant: the best of the other
-- parameters at each size. Where the waves of the best variant pass 1, 2, 4, ..., a rule: between two sizes its place
-- follows from waves ~ size ^ constant, which holds while the same resource limits the blocks on an SM. No rule for a
-- number that is passed more than once, as other parameters can make it.
WITH RECURSIVE
  mine AS MATERIALIZED (
    SELECT *, json_extract(parameters, '$.BLOCK_SIZE') AS block_size,
      (SELECT metric || coalesce(' (' || metric_unit || ')', '') FROM run
       WHERE run.id = run_id AND metric_expression IS NOT NULL) AS own_name
    FROM current_trial
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
      AND kind = 'cuda' AND outcome = 'correct'),
  sized AS (
    SELECT * FROM mine
    WHERE typeof(block_size) IN ('integer', 'real') AND (SELECT count(DISTINCT block_size) FROM mine) >= 3),
  -- subqueries, since those of the views are not touched when no row is left
  valued AS (
    SELECT *, (SELECT value FROM trial_rate WHERE trial_rate.trial_id = sized.trial_id) AS rate,
      (SELECT waves FROM trial_waves WHERE trial_waves.trial_id = sized.trial_id) AS waves,
      (SELECT sms FROM run JOIN device ON device.id = device_id WHERE run.id = run_id) AS sms
    FROM sized),
  timed AS (
    SELECT *, count(*) OVER (PARTITION BY problem, variant, block_size) AS alike, row_number() OVER (
        PARTITION BY problem, variant, block_size ORDER BY iif(maximise, -rate, rate), trial_id) AS place
    FROM valued WHERE rate > 0),
  units AS (
    SELECT *, CASE WHEN metric <> 'time' OR max(rate) OVER alike >= 2 THEN 1
                WHEN max(rate) OVER alike >= 2e-3 THEN 1e3 ELSE 1e6 END AS unit
    FROM timed WHERE place = 1 WINDOW alike AS (PARTITION BY problem)),
  best AS (
    SELECT *, rate * unit AS value, max(iif(maximise, rate, -rate)) OVER (PARTITION BY problem, variant) AS peak,
      count(*) OVER (PARTITION BY problem, variant) AS sizes, max(alike) OVER (PARTITION BY problem) AS most_alike
    FROM units),
  lines AS (
    SELECT *, dense_rank() OVER (PARTITION BY problem ORDER BY peak DESC, variant) AS standing,
      min(waves) OVER (PARTITION BY problem) AS least_waves, max(waves) OVER (PARTITION BY problem) AS most_waves,
      max(block_size) OVER (PARTITION BY problem, variant) AS last_size,
      min(value) OVER (PARTITION BY problem) AS low, max(value) OVER (PARTITION BY problem) AS high
    FROM best WHERE sizes >= 3),
  steps AS (
    SELECT problem, block_size AS size_1, waves AS waves_1, lead(block_size) OVER sizes AS size_2,
      lead(waves) OVER sizes AS waves_2
    FROM lines WHERE standing = 1 WINDOW sizes AS (PARTITION BY problem ORDER BY block_size)),
  whole(waves) AS (SELECT 1 UNION ALL SELECT 2 * waves FROM whole WHERE waves < 1024),
  crossings AS (
    SELECT DISTINCT problem, whole.waves,
      round(size_1 * exp(ln(whole.waves / waves_1) / ln(waves_2 / waves_1) * ln(1.0 * size_2 / size_1)), 2) AS size
    FROM steps JOIN whole ON whole.waves BETWEEN min(waves_1, waves_2) AND max(waves_1, waves_2)
    WHERE waves_1 <> waves_2),
  rules AS (SELECT problem, waves, min(size) AS size FROM crossings GROUP BY problem, waves HAVING count(*) = 1),
  -- labels at the right end of the lines, pushed apart; on a logarithmic axis where the spec gets one
  ends AS (
    SELECT *, CASE WHEN high > 100 * low THEN ln(value / low) / ln(high / low) ELSE value / high END AS height
    FROM lines WHERE block_size = last_size AND standing <= 6),
  numbered AS (
    SELECT *, row_number() OVER (PARTITION BY problem ORDER BY height, variant) AS number FROM ends),
  labels AS (
    SELECT *, max(height - 0.05 * number) OVER (PARTITION BY problem ORDER BY number) + 0.05 * number AS label
    FROM numbered),
  quantities AS (
    SELECT problem, key, value FROM (SELECT DISTINCT problem FROM lines), json_each(problem)),
  named AS (  -- by what tells the problems apart, and N
    SELECT problem, group_concat(printf('%s %s; ', key, value), '') AS name
    FROM quantities
    WHERE key = 'N' OR key IN (SELECT key FROM quantities GROUP BY key HAVING count(DISTINCT value) > 1)
    GROUP BY problem),
  rows AS (
    SELECT problem, 'line' AS part, standing, variant, block_size, value, NULL AS text FROM lines WHERE standing <= 6
    UNION ALL
    SELECT problem, 'label', standing, variant, (SELECT max(block_size) FROM lines WHERE lines.problem = labels.problem),
      CASE WHEN high > 100 * low THEN low * exp(label * ln(high / low)) ELSE label * high END, variant FROM labels
    UNION ALL
    SELECT problem, 'wave', NULL, NULL, size, NULL, printf('%d wave%s', waves, iif(waves = 1, '', 's')) FROM rules)
SELECT problem AS chart, described.*, part, standing, variant, block_size, value, text
FROM rows
  JOIN (
    SELECT problem AS of, printf('%s against block size on %s', coalesce(own_name, iif(metric = 'time', 'Time', 'Throughput')), :device) AS title,
      printf('%s%d SMs', coalesce(name, ''), sms) ||
        iif(most_waves IS NULL, '', printf('; %.3g to %.3g waves', least_waves, most_waves)) ||
        iif(max(standing) > 1 AND EXISTS (SELECT 1 FROM rules WHERE rules.problem = lines.problem),
            '; waves are those of ' || max(iif(standing = 1, variant, '')), '') ||
        iif(max(most_alike) > 1, char(10) || 'the best of the other parameters at each size', '') AS subtitle,
      iif(metric = 'time',
          printf('Time of an execution (%s)', CASE unit WHEN 1 THEN 's' WHEN 1e3 THEN 'ms' ELSE 'us' END),
          coalesce(own_name, printf('Throughput (%s)', replace(replace(metric, '_per_second', '/s'), '_', ' ')))) AS y_title,
      iif(metric = 'time', ',~f', '~s') AS y_format
    FROM lines LEFT JOIN named USING (problem) GROUP BY problem) AS described ON of = problem
ORDER BY problem, part, standing, block_size;
