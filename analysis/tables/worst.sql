-- title: The worst correct configurations of each experiment, device and problem, with the 95 % interval of their median
-- parameters: :experiment, :system, :device, :limit (how many of each; 1)
WITH
  valued AS (
    SELECT current_trial.*, trial_rate.value, row_number() OVER by_value AS place,
      count(*) OVER (PARTITION BY system, experiment, run_device, run_kind, device, kind, problem) AS correct
    FROM current_trial JOIN trial_rate USING (trial_id, device, kind, metric, maximise)
    WHERE (:experiment IS NULL OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
    WINDOW by_value AS (PARTITION BY system, experiment, run_device, run_kind, device, kind, problem
                        ORDER BY CASE WHEN maximise THEN value ELSE -value END, configuration)),
  timed AS (
    SELECT trial_id, count(*) AS samples, median(time_ns) / 1000 AS median_us,
      median_low(time_ns) / 1000 AS low_us, median_high(time_ns) / 1000 AS high_us
    FROM sample WHERE dropped IS NULL GROUP BY trial_id)
SELECT system || '/' || experiment AS experiment, run_device, device, kind, place, correct AS of_correct,
  configuration, metric, value, median_us, low_us, high_us, samples, mode
FROM valued JOIN timed USING (trial_id)
WHERE place <= coalesce(:limit, 1)
ORDER BY system, valued.experiment, run_kind DESC, run_device, kind DESC, device, problem, place;
