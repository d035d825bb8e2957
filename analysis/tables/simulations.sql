-- title: Scores of strategies simulated on recorded spaces: on each space, and over all spaces of a role
-- parameters: :space, :device, :strategy, :role, :simulations (a JSON list of ids: these instead of the latest ones)
-- empty: there are no simulations; 'tailwave simulate' makes them from recorded spaces
WITH
  chosen AS MATERIALIZED (
    SELECT * FROM simulation
    WHERE CASE WHEN :simulations IS NULL THEN id IN (SELECT id FROM latest_simulation)
            ELSE id IN (SELECT value FROM json_each(:simulations)) END
      AND (:space IS NULL OR :space = space) AND (:device IS NULL OR :device = device)
      AND (:strategy IS NULL OR :strategy = strategy) AND (:role IS NULL OR :role = role)),
  judged AS (  -- each space counts for its role and, where there are several roles, for all of them
    SELECT *, role AS part FROM chosen
    UNION ALL SELECT *, 'all' FROM chosen WHERE (SELECT count(DISTINCT role) FROM chosen) > 1),
  seeds AS (
    SELECT *, score - avg(score) OVER (PARTITION BY simulation_id) AS off
    FROM simulation_seed WHERE simulation_id IN (SELECT id FROM chosen)),
  by_space AS MATERIALIZED (
    SELECT simulation_id AS id, count(*) AS seeds, avg(score) AS score, avg(bounded_score) AS bounded,
      avg(score_by_time) AS by_time, sqrt(sum(off * off) / nullif(count(*) - 1, 0)) AS deviation, median(best) AS best
    FROM seeds GROUP BY simulation_id),
  overall AS MATERIALIZED (
    SELECT part, strategy, given, count(*) AS spaces, sum(points) AS points, sum(failed) AS failed, sum(budget) AS budget,
      min(seeds) AS seeds, avg(score) AS score, avg(bounded) AS bounded,
      iif(count(by_time) = count(*), avg(by_time), NULL) AS by_time,  -- of all, or of none
      iif(count(budget_seconds) = count(*), sum(budget_seconds), NULL) AS budget_seconds, sum(budget * score) / sum(budget) AS weighted,
      sum(seconds) AS seconds
    FROM judged JOIN by_space USING (id)
    GROUP BY part, strategy, given HAVING count(*) > 1),
  by_seed AS (  -- of the seeds that every space has
    SELECT part, strategy, given, avg(simulation_seed.score) AS score
    FROM judged
      JOIN simulation_seed ON simulation_id = id
      JOIN overall USING (part, strategy, given)
    GROUP BY part, strategy, given, seed HAVING count(*) = max(overall.spaces)),
  seed_spread AS (
    SELECT part, strategy, given, sqrt(sum(off * off) / nullif(count(*) - 1, 0)) AS deviation
    FROM (SELECT *, score - avg(score) OVER (PARTITION BY part, strategy, given) AS off FROM by_seed)
    GROUP BY part, strategy, given),
  rows AS (
    SELECT role, 0 AS rank, space, device, strategy, given, 1 AS spaces, points, failed, budget, seeds, score, bounded,
      by_time, budget_seconds, NULL AS weighted, deviation, best / optimum AS best_over_optimum, seconds
    FROM chosen JOIN by_space USING (id)
    UNION ALL
    SELECT part, 1, 'all', NULL, strategy, given, spaces, points, failed, budget, seeds, score, bounded,
      by_time, budget_seconds, weighted, deviation, NULL, seconds
    FROM overall LEFT JOIN seed_spread USING (part, strategy, given))
SELECT role, space, device, strategy, nullif(given, '{}') AS given, spaces, points, failed, budget, seeds, score, bounded,
  by_time AS score_by_time, weighted, budget_seconds, round(deviation, 9) AS deviation, best_over_optimum, seconds
FROM rows
ORDER BY CASE role WHEN 'training' THEN 0 WHEN 'test' THEN 1 WHEN 'other' THEN 2 ELSE 3 END, rank, space, device,
  spaces DESC, score DESC, strategy, given;
