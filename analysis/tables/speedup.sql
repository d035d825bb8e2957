-- title: How many times better than the slowest configuration, or than the best one of a variant
-- parameters: :experiment, :system, :device, :baseline (a variant; without it, the slowest on the same device)
-- empty: no configuration has a time
WITH
  valued AS MATERIALIZED (
    SELECT current_trial.*, trial_rate.value
    FROM current_trial JOIN trial_rate USING (trial_id, device, kind, metric, maximise)
    WHERE (:experiment IS NULL OR :experiment IN (experiment, system || '/' || experiment))
      AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
      AND value > 0),
  named AS (  -- what a program reports of itself is compared with nothing that was measured
    SELECT peers = 2 AS is_report, system, experiment, run_device, run_kind, problem, configuration, value, device, kind,
      row_number() OVER (PARTITION BY system, experiment, run_device, run_kind, problem
                         ORDER BY CASE WHEN maximise THEN -value ELSE value END, configuration) AS place
    FROM valued WHERE variant = :baseline),
  alike AS (  -- as the view speedup
    SELECT *, first_value(configuration) OVER alike AS slowest, first_value(value) OVER alike AS slowest_value
    FROM valued
    WINDOW alike AS (PARTITION BY system, experiment, run_device, run_kind, device, kind, peers, problem
                     ORDER BY CASE WHEN maximise THEN value ELSE -value END, configuration)),
  compared AS (
    SELECT trial_id, slowest AS baseline, device AS baseline_device, kind AS baseline_kind,
      CASE WHEN maximise THEN value / slowest_value ELSE slowest_value / value END AS speedup
    FROM alike
    WHERE :baseline IS NULL
    UNION ALL
    SELECT valued.trial_id, named.configuration, named.device, named.kind,
      CASE WHEN maximise THEN valued.value / named.value ELSE named.value / valued.value END
    FROM valued JOIN named USING (system, experiment, run_device, run_kind, problem)
    WHERE place = 1 AND is_report = (peers = 2))
SELECT system || '/' || experiment AS experiment, run_device, device, kind, configuration, metric, value, speedup,
  baseline, baseline_device, baseline_kind, unverified
FROM valued JOIN compared USING (trial_id)
ORDER BY system, valued.experiment, run_kind DESC, run_device, problem, speedup DESC, configuration;
