-- table: Why warps wait
-- system: nbody_force_law
-- place: the paragraphs about nbodyGPU5 and v1: figures of the profiler, in the text alone
-- note: Stalls are warps that wait for each that issues, by counters; memory dependency is long_scoreboard, execution dependency is
--   wait and short_scoreboard.
WITH
  named (place, kernel, variant) AS (VALUES (1, 'nbodyGPU5', 'gpu5_repaired'), (2, 'v1', 'v1'), (3, 'v3', 'v3_repaired')),
  shares AS (
    SELECT launch.variant,
      sum(stall.per_issue) FILTER (WHERE reason NOT IN ('selected', 'not_selected', 'other')) AS stalls,
      sum(stall.per_issue) FILTER (WHERE reason = 'long_scoreboard') AS memory,
      sum(stall.per_issue) FILTER (WHERE reason IN ('wait', 'short_scoreboard')) AS execution
    FROM counter_launch AS launch JOIN counter_stall AS stall USING (counter_run_id, position)
    WHERE launch.device = :device AND launch.system = 'nbody_force_law' AND launch.experiment = 'variants'
      AND launch.problem ->> 'N' = 20480 AND NOT launch.parameters ->> 'FAST_MATH' AND launch.kernel <> 'move'
    GROUP BY launch.variant)
SELECT kernel, CASE place WHEN 2 THEN '37.85 % less than nbodyGPU5' END AS "published, stalls",
  round(stalls, 2) AS "here, stalls",
  round(100 * (1 - stalls / (SELECT stalls FROM shares WHERE variant = 'gpu5_repaired')), 1) AS "here, % less than nbodyGPU5",
  CASE place WHEN 2 THEN 30.53 END AS "published, % memory dependency", round(100 * memory / stalls, 1)
    AS "here, % memory dependency", round(100 * execution / stalls, 1) AS "here, % execution dependency"
FROM named LEFT JOIN shares USING (variant) ORDER BY place;
