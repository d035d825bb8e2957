-- title: The best of each search as they were measured again, interleaved: which are tied with the best, with intervals of 95 %
-- parameters: :experiment, :system, :device, :search (the search's run), :margin (what is slower by no more counts as tied; 0.01)
-- empty: no search has leaders that were measured again; 'tailwave tune' makes one
WITH
  finalist AS (
    SELECT search.run_id AS search, strategy, run.system, run.experiment, run.metric, run.maximise,
      device.name AS run_device, trial.id AS trial_id, trial.unverified, configuration.name AS configuration
    FROM search
      CROSS JOIN run ON run.id = final_run_id
      CROSS JOIN device ON device.id = run.device_id
      CROSS JOIN trial ON trial.run_id = run.id
      CROSS JOIN configuration ON configuration.id = trial.configuration_id
    WHERE (:search IS NULL OR :search = search.run_id) AND outcome = 'correct'
      AND (:experiment IS NULL AND instr(run.experiment, '@') = 0 OR :experiment IN (run.experiment, run.system || '/' || run.experiment))
      AND (:system IS NULL OR :system = run.system) AND (:device IS NULL OR :device IN (device.name, device.kind))),
  timed AS (
    SELECT trial_id, count(*) AS samples, coalesce(max(other_processes), 0) AS other_processes,
      median(time_ns) / 1000 AS median_us, median_low(time_ns) / 1000 AS low_us, median_high(time_ns) / 1000 AS high_us
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM finalist) GROUP BY trial_id),
  compared AS (
    SELECT compare_with_best(trial_id, repetition, cost, coalesce(:margin, 0.01)) AS verdicts
    FROM finalist JOIN sample_cost USING (trial_id) GROUP BY search),
  verdict AS (
    SELECT item.value ->> 'trial_id' AS trial_id, item.value ->> 'verdict' AS verdict, item.value ->> 'ratio' AS ratio,
      item.value ->> 'low' AS ratio_low, item.value ->> 'high' AS ratio_high
    FROM compared, json_each(verdicts) AS item)
SELECT search, strategy, system || '/' || experiment AS experiment, run_device, configuration, 
  finalist.metric || iif(EXISTS (SELECT 1 FROM trial_metric AS own WHERE own.trial_id = finalist.trial_id AND own.position = 0 AND own.self_reported), ' (self-reported)', '') AS metric, value,
  median_us, low_us, high_us, samples, other_processes, verdict || iif(unverified IS NULL, '', ', unverified') AS verdict, ratio, ratio_low, ratio_high
FROM finalist JOIN timed USING (trial_id) JOIN verdict USING (trial_id) JOIN trial_rate USING (trial_id)
ORDER BY search, ratio, configuration;
