-- Experiments whose trials that count, on a run device, are not all of their configurations, since searches chose them:
-- the fastest need not be the fastest there is, and slow ones have few samples. measured: trials; configurations: what
-- the experiment has, less what a search knew to be impossible. Only where there was a search trials are counted.
CREATE VIEW partial_study AS
WITH
  searching AS (
    SELECT run_id FROM search UNION SELECT final_run_id FROM search WHERE final_run_id IS NOT NULL),
  searched AS (
    SELECT system, experiment, run_device, run_kind, max(planned_run_id) AS planned_run_id,
      max(search.configurations) AS most_configurations
    FROM run_series LEFT JOIN search USING (run_id) GROUP BY system, experiment, run_device, run_kind
    HAVING max(run_id IN (SELECT run_id FROM searching))),
  counted AS (
    SELECT system, experiment, run_device, run_kind, count(*) AS measured
    FROM searched CROSS JOIN current_trial USING (system, experiment, run_device, run_kind)
    GROUP BY system, experiment, run_device, run_kind
    HAVING max(run_id IN (SELECT run_id FROM searching))),
  compared AS (
    SELECT counted.*, coalesce(configurations,
        CASE WHEN planned_run_id IS NULL THEN most_configurations  -- an imported run has no plan
          ELSE (SELECT count(*) FROM run_plan WHERE run_id = planned_run_id) END) AS configurations
    FROM counted JOIN searched USING (system, experiment, run_device, run_kind)
      LEFT JOIN search ON search.run_id = planned_run_id)
SELECT * FROM compared WHERE measured < configurations;
