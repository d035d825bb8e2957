-- title: The worst correct configurations of each experiment, device and problem, with the 95 % interval of their median
-- parameters: :experiment, :system, :device, :limit (how many of each; 1)
-- empty: no configuration is correct
SELECT system || '/' || experiment AS experiment, run_device, device, kind, place_from_worst AS place, of_ranked,
  configuration,
  -- a number that a program says of itself, whatever took its time
  metric || iif(EXISTS (SELECT 1 FROM trial_metric AS own WHERE own.trial_id = ranked_trial.trial_id AND own.position = 0 AND own.self_reported), ' (self-reported)', '') AS metric,
  value, median(time_ns) / 1000 AS median_us, median_low(time_ns) / 1000 AS low_us,
  median_high(time_ns) / 1000 AS high_us, count(time_ns) AS samples, mode, unverified
FROM ranked_trial LEFT JOIN sample ON sample.trial_id = ranked_trial.trial_id AND dropped IS NULL
WHERE place_from_worst <= coalesce(:limit, 1)
  AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
  AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
GROUP BY ranked_trial.trial_id
ORDER BY system, ranked_trial.experiment, run_kind DESC, run_device, kind DESC, device, peers, problem, place;
