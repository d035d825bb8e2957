-- The metric against the problem quantity that is asked about, both logarithmic: a line for each configuration otherwise (at most
-- eight, those that are best at the largest problem), and the limit of the system's manifest as a dashed line.
-- answers: scaling
WITH
  given AS (
    SELECT item.value ->> 'series' AS series, item.value ->> 'x' AS x, item.value ->> 'value' AS value,
      item.value ->> 'limit' AS bound, iif(:facts ->> 'maximise', item.value ->> 'value', -(item.value ->> 'value')) AS goodness
    FROM json_each(:facts, '$.rows') AS item WHERE item.value ->> 'x' > 0 AND item.value ->> 'value' > 0),
  points AS (
    SELECT *, row_number() OVER (PARTITION BY series, x ORDER BY goodness DESC) AS of_point,
      last_value(goodness) OVER (PARTITION BY series ORDER BY x, goodness
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS at_end,
      max(x) OVER (PARTITION BY series) AS reaches
    FROM given),
  lines AS (
    SELECT *, dense_rank() OVER (ORDER BY reaches DESC, at_end DESC, series) AS standing FROM points WHERE of_point = 1),
  rows AS (
    SELECT standing, series, x, value, 'measured' AS part FROM lines WHERE standing <= 8
    UNION ALL
    SELECT 99, 'the limit ' || (:facts ->> 'limit'), x, iif(:facts ->> 'maximise', max(bound), min(bound)), 'limit' FROM points
    WHERE bound > 0 GROUP BY x)
SELECT '' AS chart, printf('%s by %s, on %s', :facts ->> 'metric', :facts ->> 'axis', :facts ->> 'device') AS title,
  'both axes logarithmic' || iif((SELECT max(standing) FROM lines) > 8, printf('; the best 8 of %d at the end', (SELECT max(standing) FROM lines)), '') ||
    iif(EXISTS (SELECT 1 FROM rows WHERE part = 'limit'), '; dashed: the least time that the manifest''s limits allow', '') AS subtitle,
  :facts ->> 'axis' AS x_title, :facts ->> 'y_title' AS y_title, :facts ->> 'y_format' AS y_format, standing, series, x, value, part
FROM rows ORDER BY standing, x;
