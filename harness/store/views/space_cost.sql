-- What a search would have found: the cost of every configuration that counts, smaller is better, for each problem of
-- an experiment on a run device. A result that another tuner recorded costs its objective (table measurement), or else
-- the median of its samples; a time in ms, whatever its unit. One of ours costs the median time in seconds. A rate
-- costs its inverse. A configuration with the machine code of another costs what that one does: timed_trial_id is whose
-- time it is. cost is NULL for a failure. What is ranked after others (current_trial.peers) is left out where one of those is correct.
CREATE VIEW space_cost AS
WITH
  ranked AS (
    SELECT *, min(iif(outcome = 'correct', peers, NULL)) OVER (PARTITION BY system, experiment, run_device, run_kind) AS first_peers
    FROM current_trial),
  twins AS (
    SELECT ranked.*, CASE outcome
        WHEN 'correct' THEN ranked.trial_id
        WHEN 'skipped_identical' THEN (
          SELECT twin.id FROM identical_trial JOIN trial AS twin ON twin.id = measured_trial_id
          WHERE identical_trial.trial_id = ranked.trial_id AND twin.outcome = 'correct') END AS timed_trial_id
    FROM ranked
    WHERE device = run_device AND kind = run_kind AND peers <= coalesce(first_peers, peers)),
  objectives AS NOT MATERIALIZED (
    SELECT trial_id, name, value * CASE WHEN unit IN ('s', 'seconds') THEN 1e3 WHEN unit IN ('us', 'microseconds') THEN 1e-3
        WHEN unit IN ('ns', 'nanoseconds') THEN 1e-6 ELSE 1 END AS value
    FROM measurement WHERE objective = 1),
  valued AS (
    SELECT *, coalesce(
      (SELECT value FROM objectives WHERE trial_id = timed_trial_id AND name = metric),
      (SELECT value FROM objectives WHERE trial_id = timed_trial_id ORDER BY name LIMIT 1),
      (SELECT value * iif(run_kind = 'recorded' AND metric = 'time', 1e3, 1) FROM trial_rate
       WHERE trial_rate.trial_id = timed_trial_id)) AS value
    FROM twins)
SELECT trial_id, run_id, system, experiment, run_device, run_kind, problem, configuration_id, configuration, variant, parameters,
  outcome, timed_trial_id, iif(maximise, 1 / value, value) AS cost
FROM valued;
