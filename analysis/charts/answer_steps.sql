-- How many times better each step is than the first one, in the order of the spec: a ladder. With more than 16 configurations of
-- a problem the best of each variant. In brackets, over the step before.
-- answers: steps
WITH
  given AS (
    SELECT item.key AS place, item.value ->> 'problem' AS problem, item.value ->> 'problem_place' AS problem_place,
      item.value ->> 'label' AS label, item.value ->> 'variant' AS variant, item.value ->> 'value' AS value,
      iif(:facts ->> 'maximise', item.value ->> 'value', -(item.value ->> 'value')) AS goodness,
      item.value ->> 'standing' AS standing, item.value ->> 'tied' AS tied
    FROM json_each(:facts, '$.rows') AS item WHERE item.value ->> 'value' > 0),
  counted AS (
    SELECT *, count(*) OVER (PARTITION BY problem) AS configurations,
      row_number() OVER (PARTITION BY problem, variant ORDER BY goodness DESC, place) AS of_variant,
      row_number() OVER (PARTITION BY problem ORDER BY goodness DESC, place) AS rank
    FROM given),
  shown AS (SELECT * FROM counted WHERE configurations <= 16 OR of_variant = 1),
  steps AS (
    SELECT *, first_value(value) OVER spec AS first, first_value(label) OVER spec AS first_label,
      lag(value) OVER spec AS before, count(*) OVER (PARTITION BY problem) AS steps,
      row_number() OVER (PARTITION BY problem ORDER BY goodness DESC, place) = 1 AS best
    FROM shown WINDOW spec AS (PARTITION BY problem ORDER BY place)),
  factors AS (
    SELECT *, iif(:facts ->> 'maximise', value / first, first / value) AS speedup,
      iif(:facts ->> 'maximise', value / before, before / value) AS gained
    FROM steps WHERE steps > 1),
  wide AS (SELECT problem AS of, max(speedup) > 100 * min(speedup) AS far FROM factors GROUP BY problem)
SELECT problem AS chart, printf('How many times as %s as %s, on %s', :facts ->> 'as', first_label, :facts ->> 'device') AS title,
  iif(problem = '', '', problem || '; ') || (:facts ->> 'metric') || '; in brackets, over the step before' ||
    iif(steps < configurations, '; the best of each variant', '') AS subtitle,
  iif(far, 'log', 'linear') AS scale, iif(far, 1, 0) AS base, place, label, round(speedup, 4) AS speedup,
  iif(best OR (standing = 'tied' AND tied > 1), 'best', 'other') AS ground,
  -- %.3g would write 1.2e+03
  iif(speedup >= 100, printf('%d', round(speedup)), printf('%.3g', speedup)) || ' times' ||
    iif(before IS NULL OR place = (SELECT min(place) FROM factors AS f WHERE f.problem = factors.problem), '',
        ' (' || iif(gained >= 100, printf('%d', round(gained)), printf('%.3g', gained)) || ')') AS text
FROM factors JOIN wide ON of = problem
ORDER BY problem_place, place;
