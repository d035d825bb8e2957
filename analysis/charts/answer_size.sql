-- The metric against the one parameter that is asked about, a line for each setting of the others (at most eight, the best ones),
-- with 95 % intervals; what the study printed as diamonds.
-- answers: size
WITH
  given AS (
    SELECT item.value ->> 'problem' AS problem, item.value ->> 'problem_place' AS problem_place, item.value ->> 'series' AS series,
      item.value ->> 'x' AS x, item.value ->> 'value' AS value, item.value ->> 'low' AS low, item.value ->> 'high' AS high,
      item.value ->> 'published' AS published, item.value ->> 'label' AS label,
      iif(:facts ->> 'maximise', item.value ->> 'value', -(item.value ->> 'value')) AS goodness
    FROM json_each(:facts, '$.rows') AS item WHERE item.value ->> 'x' > 0 AND item.value ->> 'value' > 0),
  alike AS (
    SELECT *, row_number() OVER (PARTITION BY problem, series, x ORDER BY goodness DESC) AS of_point,
      max(goodness) OVER (PARTITION BY problem, series) AS peak
    FROM given),
  lines AS (
    SELECT *, dense_rank() OVER (PARTITION BY problem ORDER BY peak DESC, series) AS standing,
      first_value(label) OVER (PARTITION BY problem ORDER BY goodness DESC) AS best
    FROM alike WHERE of_point = 1),
  rows AS (
    SELECT problem, problem_place, best, standing, series, x, value, low, high, 'measured' AS source FROM lines WHERE standing <= 8
    UNION ALL
    SELECT problem, problem_place, best, standing, series, x, published, NULL, NULL, 'published' FROM lines
    WHERE standing <= 8 AND published > 0)
SELECT problem AS chart, printf('%s by %s, on %s', :facts ->> 'metric', :facts ->> 'axis', :facts ->> 'device') AS title,
  iif(problem = '', '', problem || '; ') || printf('the best is %s', best) ||
    iif((SELECT max(source) FROM rows AS r WHERE r.problem = rows.problem) = 'published', '; diamonds: as published, on the study''s GPU', '')
    AS subtitle,
  :facts ->> 'axis' AS x_title, :facts ->> 'y_title' AS y_title, :facts ->> 'y_format' AS y_format, standing, series, x, value, low, high,
  source
FROM rows ORDER BY problem_place, standing, source, x;
