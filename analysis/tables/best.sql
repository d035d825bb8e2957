-- title: The best configurations of each experiment, device and problem: those that are tied, with intervals of 95 %
-- parameters: :experiment, :system, :device, :limit (how many of each; those that are tied), :margin (what is slower by no more counts as tied; 0.01)
WITH
  ranked AS (
    SELECT * FROM ranked_trial
    WHERE (:experiment IS NULL OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))),
  timed AS (
    SELECT trial_id, count(*) AS samples, median(time_ns) / 1000 AS median_us,
      median_low(time_ns) / 1000 AS low_us, median_high(time_ns) / 1000 AS high_us
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM ranked) GROUP BY trial_id),
  compared AS (
    SELECT compare_with_best(trial_id, repetition, cost, coalesce(:margin, 0.01)) AS verdicts
    FROM ranked JOIN sample_cost USING (trial_id)
    GROUP BY system, experiment, run_device, run_kind, device, kind, problem),
  verdict AS (
    SELECT item.value ->> 'trial_id' AS trial_id, item.value ->> 'tied' AS tied, item.value ->> 'ratio' AS ratio,
      item.value ->> 'low' AS ratio_low, item.value ->> 'high' AS ratio_high
    FROM compared, json_each(verdicts) AS item)
SELECT system || '/' || experiment AS experiment, run_device, device, kind, place, of_correct, configuration, metric,
  value, median_us, low_us, high_us, samples, mode, tied, ratio, ratio_low, ratio_high
FROM ranked JOIN timed USING (trial_id) LEFT JOIN verdict USING (trial_id)
WHERE CASE WHEN :limit IS NULL THEN tied ELSE place <= :limit END
ORDER BY system, ranked.experiment, run_kind DESC, run_device, kind DESC, device, problem, place;
