-- The best configurations of a space, best first, with 95 % intervals: those that are tied with the best in another colour.
-- answers: tuning
WITH
  given AS (
    SELECT item.value ->> 'problem' AS problem, item.value ->> 'problem_place' AS problem_place, item.value ->> 'label' AS label,
      item.value ->> 'value' AS value, item.value ->> 'low' AS low, item.value ->> 'high' AS high,
      iif(:facts ->> 'maximise', item.value ->> 'value', -(item.value ->> 'value')) AS goodness, item.value ->> 'standing' AS standing,
      item.value ->> 'tied' AS tied, item.value ->> 'configurations' AS configurations, item.value ->> 'common' AS common
    FROM json_each(:facts, '$.rows') AS item WHERE item.value ->> 'value' > 0),
  ranked AS (
    SELECT *, row_number() OVER (PARTITION BY problem ORDER BY goodness DESC, label) AS rank,
      count(*) OVER (PARTITION BY problem) AS shown
    FROM given)
SELECT problem AS chart, printf('The best configurations on %s', :facts ->> 'device') AS title,
  iif(problem = '', '', problem || '; ') ||
    printf('%d of %,d, with 95 %% intervals; ', shown, configurations) || iif(common = '', '', 'all ' || common || '; ') ||
    iif(max(tied) OVER (PARTITION BY problem) > 1, printf('%d tied with the best', max(tied) OVER (PARTITION BY problem) - 1), 'none is tied with the best') AS subtitle,
  :facts ->> 'y_title' AS x_title, :facts ->> 'y_format' AS x_format, rank, label, value, low, high,
  CASE WHEN rank = 1 OR standing IN ('best', 'tied') THEN 'best or tied with it' WHEN standing = 'unclear' THEN 'unclear' ELSE 'not as good' END AS ground
FROM ranked
ORDER BY problem_place, rank;
