-- How strategies came near the optimum of a recorded space (tables simulation, simulation_step): the median of the seeds for
-- each, with the quartiles of the best three, and what random search is expected to reach. The twelve best by score.
WITH
  ranked AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY space, device ORDER BY score DESC, strategy, given) AS standing
    FROM (
      SELECT latest_simulation.*, avg(score) AS score, count(*) AS seeds
      FROM latest_simulation JOIN simulation_seed ON simulation_id = id GROUP BY id)),
  shown AS (SELECT * FROM ranked WHERE standing <= 12),
  rows AS (
    SELECT id, standing, 'line' AS part, evaluation, simulation_step.median / optimum AS ratio, NULL AS low, NULL AS high,
      NULL AS text
    FROM shown JOIN simulation_step ON simulation_id = id
    UNION ALL
    SELECT id, standing, 'quartiles', evaluation, NULL, low / optimum, high / optimum, NULL
    FROM shown JOIN simulation_step ON simulation_id = id WHERE standing <= 3
    UNION ALL
    SELECT id, 0, 'baseline', evaluation, baseline / optimum, NULL, NULL, NULL
    FROM shown JOIN simulation_step ON simulation_id = id WHERE standing = 1
    UNION ALL
    SELECT id, standing, 'label', NULL, NULL, NULL, NULL,
      printf('%s%s: %.2f', strategy, iif(given = '{}', '', ' ' || given), score) FROM shown)
SELECT space || ' on ' || device AS chart, 'Convergence on ' || space AS title,
  printf('%s, %s space: %,d configurations, %,d of them failed', device, CASE role WHEN 'other' THEN 'recorded' ELSE role END,
         points, failed) || char(10) ||
    printf('median of %d seeds, quartiles of the best three; beside the names: mean score', max(seeds) OVER of) AS subtitle,
  -- where random search is after a twentieth of the budget
  max(1.02, (SELECT baseline / optimum FROM simulation_step
             WHERE simulation_id = shown.id AND 20 * evaluation >= budget ORDER BY evaluation LIMIT 1)) AS top,
  part, rows.standing, evaluation, round(ratio, 5) AS ratio, round(low, 5) AS low, round(high, 5) AS high, text
FROM rows JOIN shown USING (id)
WINDOW of AS (PARTITION BY space, device)
ORDER BY chart, part, rows.standing, evaluation;
