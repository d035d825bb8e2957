-- How many times better each step is than the baseline, in the order of the spec: a ladder, on a GPU from the best host variant on. With
-- more than 16 configurations of a problem the best of each variant, and the baseline. In brackets, over the step before.
-- answers: steps
WITH
  steps AS (
    SELECT item.key AS place, item.value ->> 'problem' AS problem, item.value ->> 'problem_place' AS problem_place,
      item.value ->> 'label' AS label, item.value ->> 'baseline' AS baseline, item.value ->> 'times' AS speedup,
      item.value ->> 'gained' AS gained, item.value ->> 'best' AS best, item.value ->> 'standing' AS standing,
      item.value ->> 'tied' AS tied, item.value ->> 'steps' AS steps, item.value ->> 'configurations' AS configurations
    FROM json_each(:facts, '$.rows') AS item WHERE item.value ->> 'times' > 0),
  wide AS (
    SELECT problem AS of, count(*) AS bars, min(speedup) AS least, max(speedup) > 100 * min(speedup) AS far
    FROM steps GROUP BY problem)
SELECT problem AS chart, printf('How many times as %s as %s, on %s', :facts ->> 'as', baseline, :facts ->> 'device') AS title,
  iif(problem = '', '', problem || '; ') || (:facts ->> 'metric') || '; in brackets, over the step before' ||
    iif(steps < configurations, '; the best of each variant', '') AS subtitle,
  -- a bar of a logarithmic axis may begin anywhere below the least
  iif(far, 'log', 'linear') AS scale, iif(far, least / 2, 0) AS base, place, label, round(speedup, 4) AS speedup,
  iif(best OR (standing = 'tied' AND tied > 1), 'best', 'other') AS ground,
  -- %.3g would write 1.2e+03
  iif(speedup >= 100, printf('%d', round(speedup)), printf('%.3g', speedup)) || ' times' ||
    iif(gained IS NULL, '', ' (' || iif(gained >= 100, printf('%d', round(gained)), printf('%.3g', gained)) || ')') AS text
FROM steps JOIN wide ON of = problem
WHERE bars > 1
ORDER BY problem_place, place;
