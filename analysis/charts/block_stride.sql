-- BLOCK_SIZE by BLOCK_STRIDE: the best of the other parameters in each cell, with its share of the best cell, its
-- occupancy and its waves; cells in which no configuration is correct say what became of it.
WITH
  mine AS MATERIALIZED (
    SELECT *, json_extract(parameters, '$.BLOCK_SIZE') AS block_size,
      json_extract(parameters, '$.BLOCK_STRIDE') AS block_stride
    FROM current_trial
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind AND kind = 'cuda'),
  sized AS (
    SELECT * FROM mine
    WHERE typeof(block_size) IN ('integer', 'real') AND typeof(block_stride) IN ('integer', 'real')
      AND (SELECT min(count(DISTINCT block_size), count(DISTINCT block_stride)) FROM mine) >= 2),
  -- subqueries, since those of the views are not touched when no row is left
  tried AS (
    SELECT *, (SELECT iif(maximise, value, 1 / value) FROM trial_rate WHERE trial_rate.trial_id = sized.trial_id) AS speed,
      (SELECT sms FROM run JOIN device ON device.id = device_id WHERE run.id = run_id) AS sms
    FROM sized),
  ranked AS (
    SELECT *, row_number() OVER (alike ORDER BY speed DESC NULLS LAST, trial_id) AS place, count(*) OVER alike AS alike
    FROM tried WINDOW alike AS (PARTITION BY problem, variant, block_size, block_stride)),
  cells AS (
    SELECT *, speed / max(speed) OVER (PARTITION BY problem, variant) AS share FROM ranked WHERE place = 1),
  wide AS (
    SELECT problem AS of_problem, variant AS of_variant, max(alike) AS most_alike
    FROM cells WHERE share IS NOT NULL GROUP BY problem, variant
    HAVING count(DISTINCT block_size) >= 2 AND count(DISTINCT block_stride) >= 2)
SELECT variant || ' ' || problem AS chart,
  'Block size and stride on ' || :device AS title,
  printf('%s, %s; %d SMs%s', variant,
         (SELECT group_concat(printf('%s %s', key, json_each.value), ', ') FROM json_each(problem)), cells.sms,
         iif(most_alike > 1, '; the best of the other parameters in each cell', '')) AS subtitle,
  block_size, block_stride, round(share, 4) AS share,
  iif(share IS NULL, replace(outcome, '_', ' '), printf('%d %%', round(100 * share))) AS text,
  iif(share IS NULL OR occupancy IS NULL, '',
      printf('occupancy %d %%', round(100 * occupancy)) || char(10) || printf('%.3g waves', waves)) AS detail,
  iif(share <= 0.5, 'dark', 'light') AS ground
FROM cells JOIN wide ON of_problem = problem AND of_variant = variant LEFT JOIN trial_waves USING (trial_id)
ORDER BY variant, problem, block_stride, block_size;
