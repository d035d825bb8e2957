-- title: A configuration over runs: dates, commits, times, and whether it became faster or slower than in the run before, or that is noise
-- parameters: :experiment, :system, :device, :configuration (a part of its name, or 'all'; without it, the best of each problem), :margin (what differs by no more counts as noise; 0.01), :limit (how many of the latest runs of each)
-- empty: no configuration was measured
WITH
  wanted AS MATERIALIZED (
    SELECT DISTINCT configuration_id FROM ranked_trial
    WHERE :configuration IS NULL AND place = 1 AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
    UNION ALL
    SELECT id FROM configuration WHERE :configuration = 'all' OR instr(name, :configuration) > 0),
  measured AS MATERIALIZED (
    SELECT trial.id AS trial_id, run.id AS run, run.system, run.experiment, device.name AS run_device, device.kind, trial.device_id,
      configuration.id AS configuration_id, configuration.name AS configuration, started_at, nullif(project_commit, '') AS "commit",
      nullif(driver, '') AS driver, nullif(compiler, '') AS compiler, outcome, unverified, run.metric, run.maximise, trial.mode,
      row_number() OVER (PARTITION BY run.system, run.experiment, run.device_id, configuration.id ORDER BY started_at DESC, run.identity DESC) AS age
    FROM run
      CROSS JOIN device ON device.id = run.device_id
      CROSS JOIN trial ON trial.run_id = run.id
      CROSS JOIN configuration ON configuration.id = trial.configuration_id
    WHERE regime IS NULL AND configuration.id IN (SELECT configuration_id FROM wanted)
      AND (:experiment IS NULL AND instr(run.experiment, '@') = 0 OR :experiment IN (run.experiment, run.system || '/' || run.experiment))
      AND (:system IS NULL OR :system = run.system) AND (:device IS NULL OR :device IN (device.name, device.kind))),
  timed AS MATERIALIZED (  -- beside the correct one before it that was measured alike
    SELECT trial_id, lag(trial_id) OVER (
        PARTITION BY system, experiment, run_device, kind, device_id, configuration_id, metric, maximise, mode ORDER BY started_at, run) AS before_id
    FROM measured WHERE outcome = 'correct'),
  compared AS (
    SELECT timed.trial_id, compare_with_best(sample_cost.trial_id, repetition, cost, coalesce(:margin, 0.01)) AS verdicts
    FROM timed JOIN sample_cost ON sample_cost.trial_id IN (timed.trial_id, before_id)
    WHERE before_id IS NOT NULL GROUP BY timed.trial_id),
  beside AS (  -- one of the two is the best; the other is slower, tied or unclear
    SELECT compared.trial_id, max(iif(item.value ->> 'trial_id' = compared.trial_id, item.value ->> 'ratio', NULL))
        / max(iif(item.value ->> 'trial_id' = compared.trial_id, NULL, item.value ->> 'ratio')) AS ratio,
      max(iif(item.value ->> 'verdict' = 'best', NULL, item.value ->> 'verdict')) AS other,
      max(item.value ->> 'trial_id' = compared.trial_id AND item.value ->> 'verdict' = 'best') AS is_best
    FROM compared, json_each(verdicts) AS item GROUP BY compared.trial_id),
  times AS (
    SELECT trial_id, count(*) AS samples, median(time_ns) / 1000 AS median_us, median_low(time_ns) / 1000 AS low_us,
      median_high(time_ns) / 1000 AS high_us
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM measured) GROUP BY trial_id)
SELECT measured.system || '/' || measured.experiment AS experiment, run_device, kind, configuration, run, started_at, "commit",
  iif(outcome <> 'correct', outcome, CASE WHEN other IS NULL THEN 'first' WHEN other = 'tied' THEN 'noise' WHEN other = 'unclear' THEN 'unclear'
    WHEN is_best THEN 'faster' ELSE 'slower' END || iif(unverified IS NULL, '', ', unverified')) AS change,
  ratio, median_us, low_us, high_us, samples, mode, driver, compiler
FROM measured
  LEFT JOIN timed ON timed.trial_id = measured.trial_id
  LEFT JOIN beside ON beside.trial_id = measured.trial_id
  LEFT JOIN times ON times.trial_id = measured.trial_id
WHERE :limit IS NULL OR age <= :limit
ORDER BY measured.system, measured.experiment, kind DESC, run_device, configuration, started_at, run;
