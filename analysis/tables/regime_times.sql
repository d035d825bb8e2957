-- title: The best configurations of each experiment in each regime, as they were measured last, interleaved; with intervals of 95 %
-- parameters: :experiment, :system, :device, :margin (what is slower by no more counts as tied; 0.01)
-- empty: nothing was measured in regimes; 'tailwave run SPEC --regimes hot,cold' does
WITH
  mine AS MATERIALIZED (
    SELECT * FROM regime_trial
    WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))),
  compared AS (  -- all regimes of a problem answer one question
    SELECT compare_with_best(trial_id, repetition, cost, coalesce(:margin, 0.01), 1, regimes) AS verdicts
    FROM mine JOIN (
        SELECT run_id, problem, count(DISTINCT regime) AS regimes FROM mine WHERE outcome = 'correct' GROUP BY run_id, problem)
        USING (run_id, problem)
      CROSS JOIN sample_cost USING (trial_id)
    GROUP BY run_id, problem, regime),
  verdict AS (
    SELECT item.value ->> 'trial_id' AS trial_id, item.value ->> 'verdict' AS verdict, item.value ->> 'ratio' AS ratio,
      item.value ->> 'low' AS ratio_low, item.value ->> 'high' AS ratio_high
    FROM compared, json_each(verdicts) AS item),
  timed AS (
    SELECT trial_id, count(*) AS samples, median(time_ns) / 1000 AS median_us,
      median_low(time_ns) / 1000 AS low_us, median_high(time_ns) / 1000 AS high_us
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM mine) GROUP BY trial_id)
SELECT system || '/' || experiment AS experiment, run_device, problem, regime, mode, cache, fills, own, configuration, place,
  reason, outcome, median_us, low_us, high_us, samples, verdict, ratio, ratio_low, ratio_high, detail, unverified, run_id AS run, started_at
FROM mine LEFT JOIN timed USING (trial_id) LEFT JOIN verdict USING (trial_id)
ORDER BY system, mine.experiment, run_kind DESC, run_device, problem, position, place;
