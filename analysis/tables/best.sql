-- title: The best configurations of each experiment, device and problem: those not shown to be slower, with intervals of 95 %
-- parameters: :experiment, :system, :device, :limit (how many of each; those not shown to be slower), :margin (what is slower by no more counts as tied; 0.01)
-- empty: no configuration is correct
WITH
  ranked AS (
    SELECT *, EXISTS (SELECT 1 FROM measurement WHERE measurement.trial_id = ranked_trial.trial_id AND objective = 1) AS recorded,
      -- what kernels are verified against, or held beside, is no answer
      peers = 3 AND min(peers) OVER (PARTITION BY system, experiment, run_device, run_kind) < 3 AS reference,
      -- a ranking that is kept knows it, with this margin, and intervals of the first 100
      standing IS NOT NULL AND coalesce(:margin, 0.01) = 0.01 AND coalesce(:limit, 1) <= 100 AS decided
    FROM ranked_trial
    WHERE (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
      AND (standing IS NULL OR coalesce(:margin, 0.01) <> 0.01 OR :limit > 100 OR standing <> 'slower' OR place <= :limit)),
  compared AS (
    SELECT compare_with_best(trial_id, repetition, cost, coalesce(:margin, 0.01), place <= :limit) AS verdicts
    FROM ranked JOIN sample_cost USING (trial_id)
    WHERE NOT recorded AND NOT decided
    GROUP BY system, experiment, run_device, run_kind, device, kind, peers, problem),
  objectives AS (  -- of another tuner: numbers without samples of their own
    SELECT trial_id, place, iif(maximise, top / value, value / top) AS ratio FROM (
      SELECT *, first_value(value) OVER (
          PARTITION BY system, experiment, run_device, run_kind, device, kind, peers, problem ORDER BY place) AS top
      FROM ranked WHERE recorded AND NOT decided)),
  verdict AS (
    SELECT item.value ->> 'trial_id' AS trial_id, item.value ->> 'verdict' AS verdict, item.value ->> 'ratio' AS ratio,
      item.value ->> 'low' AS ratio_low, item.value ->> 'high' AS ratio_high
    FROM compared, json_each(verdicts) AS item
    UNION ALL
    SELECT trial_id, CASE WHEN place = 1 THEN 'best' WHEN ratio <= 1 + coalesce(:margin, 0.01) THEN 'tied' ELSE 'slower' END,
      ratio, NULL, NULL
    FROM objectives
    UNION ALL
    SELECT trial_id, standing, to_best, to_best_low, to_best_high FROM ranked WHERE decided),
  shown AS MATERIALIZED (
    -- from verdicts to trials, which SQLite then makes an index of; a LEFT JOIN would look for each among all
    SELECT ranked.*, verdict, ratio, ratio_low, ratio_high FROM verdict CROSS JOIN ranked USING (trial_id)
    WHERE CASE WHEN :limit IS NULL THEN verdict <> 'slower' ELSE ranked.place <= :limit END
    UNION ALL  -- what has a value, and no cost that can be compared
    SELECT *, NULL, NULL, NULL, NULL FROM ranked WHERE place <= :limit AND trial_id NOT IN (SELECT trial_id FROM verdict)),
  timed AS (
    SELECT trial_id, count(*) AS samples, median(time_ns) / 1000 AS median_us,
      median_low(time_ns) / 1000 AS low_us, median_high(time_ns) / 1000 AS high_us
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM shown) GROUP BY trial_id)
SELECT system || '/' || experiment AS experiment, run_device, device, kind, iif(reference, NULL, place) AS place, of_ranked,
  configuration,
  -- a number that a program says of itself, whatever took its time
  metric || iif(EXISTS (SELECT 1 FROM trial_metric AS own WHERE own.trial_id = shown.trial_id AND own.position = 0 AND own.self_reported), ' (self-reported)', '') AS metric,
  value, median_us, low_us, high_us, samples, mode, iif(reference, 'reference', verdict) || iif(unverified IS NULL, '', ', unverified') AS verdict,
  ratio, ratio_low, ratio_high
FROM shown LEFT JOIN timed USING (trial_id)
ORDER BY system, shown.experiment, run_kind DESC, run_device, kind DESC, device, peers, problem, shown.place;
