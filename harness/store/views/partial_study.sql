-- Experiments whose trials that count, on a run device, are not all of their configurations, since searches chose them, or
-- since shards are missing: the fastest need not be the fastest there is, and what a search saw as slow has few samples.
-- measured: trials; searched: 1 where a search chose some; configurations: what the experiment has, less what a search knew
-- to be impossible. Only where there was a search or a shard trials are counted.
CREATE VIEW partial_study AS
WITH
  searching AS (
    SELECT run_id FROM search UNION SELECT final_run_id FROM search WHERE final_run_id IS NOT NULL),
  choosing AS (SELECT run_id FROM searching UNION SELECT id FROM run WHERE shard IS NOT NULL),
  chosen AS (
    SELECT run_series.system, run_series.experiment, run_device, run_kind, max(planned_run_id) AS planned_run_id,
      max(coalesce(search.configurations, run.configurations)) AS most_configurations
    FROM run_series JOIN run ON run.id = run_id LEFT JOIN search USING (run_id)
    GROUP BY run_series.system, run_series.experiment, run_device, run_kind
    HAVING max(run_id IN (SELECT run_id FROM choosing))),
  counted AS (
    SELECT system, experiment, run_device, run_kind, coalesce((
        SELECT trials FROM ranking WHERE NOT stale AND ranking.system = current_trial.system
          AND ranking.experiment = current_trial.experiment AND ranking.run_device = current_trial.run_device
          AND ranking.run_kind = current_trial.run_kind), count(*)) AS measured,
      max(run_id IN (SELECT run_id FROM searching)) AS searched
    FROM chosen CROSS JOIN current_trial USING (system, experiment, run_device, run_kind)
    GROUP BY system, experiment, run_device, run_kind
    HAVING max(run_id IN (SELECT run_id FROM choosing))),
  compared AS (
    SELECT counted.*, coalesce(
        (SELECT configurations FROM search WHERE run_id = planned_run_id),
        (SELECT configurations FROM run WHERE id = planned_run_id),
        CASE WHEN planned_run_id IS NULL THEN most_configurations  -- an imported run has no plan
          ELSE (SELECT count(*) FROM run_plan WHERE run_id = planned_run_id) END) AS configurations
    FROM counted JOIN chosen USING (system, experiment, run_device, run_kind))
SELECT * FROM compared WHERE measured < configurations;
