-- Every run beside what decides which of its trials count, but those that measured in regimes: superseded is 1 where a later run of the same experiment and
-- run device was started with --fresh and is done; planned_run_id is the latest of these runs that has a plan, NULL
-- where none has; next_run_id is the first one after it, NULL for the latest. unplanned: 1 where trials count that are not
-- in that plan: there is none; or it is that of a shard, which has its own configurations, or of a search, which has what
-- its own database knew, and this run is of the same spec (a search's in another database, before both were merged).
CREATE VIEW run_series AS
SELECT run_id, system, experiment, run_device, run_kind, started_at, identity, superseded, next_run_id, planned_run_id,
  planned_run_id IS NULL OR EXISTS (
    SELECT 1 FROM run AS planned JOIN run AS own ON own.id = run_id
    WHERE planned.id = planned_run_id AND planned.spec_hash = own.spec_hash
      AND (planned.shard IS NOT NULL OR planned.merged_from IS NOT own.merged_from
        AND EXISTS (SELECT 1 FROM search WHERE planned_run_id IN (search.run_id, final_run_id)))) AS unplanned
FROM (
  SELECT run_id, system, experiment, run_device, run_kind, started_at, identity,
    coalesce(max(fresh) OVER (latest_first ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS superseded,
    lag(run_id) OVER latest_first AS next_run_id,
    first_value(iif(planned, run_id, NULL)) OVER (PARTITION BY system, experiment, run_kind, run_device
      ORDER BY planned DESC, started_at DESC, identity DESC) AS planned_run_id
  FROM (
    SELECT run.id AS run_id, system, experiment, device.name AS run_device, device.kind AS run_kind, started_at, identity,
      fresh AND status = 'done' AS fresh,
      EXISTS (SELECT 1 FROM run_plan WHERE run_plan.run_id = run.id) AS planned
    FROM run CROSS JOIN device ON device.id = run.device_id
    WHERE NOT EXISTS (SELECT 1 FROM regime WHERE regime.run_id = run.id))
  WINDOW latest_first AS (PARTITION BY system, experiment, run_kind, run_device ORDER BY started_at DESC, identity DESC));
