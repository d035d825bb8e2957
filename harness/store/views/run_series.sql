-- Every run beside what decides which of its trials count, but those that measured in regimes: superseded is 1 where a later run of the same experiment and
-- run device was started with --fresh and is done; planned_run_id is the latest of these runs that has a plan, NULL
-- where none has; next_run_id is the first one after it, NULL for the latest.
CREATE VIEW run_series AS
SELECT run_id, system, experiment, run_device, run_kind, started_at,
  coalesce(max(fresh) OVER (latest_first ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS superseded,
  lag(run_id) OVER latest_first AS next_run_id,
  first_value(iif(planned, run_id, NULL)) OVER (PARTITION BY system, experiment, run_kind, run_device
    ORDER BY planned DESC, started_at DESC, run_id DESC) AS planned_run_id
FROM (
  SELECT run.id AS run_id, system, experiment, device.name AS run_device, device.kind AS run_kind, started_at,
    fresh AND status = 'done' AS fresh,
    EXISTS (SELECT 1 FROM run_plan WHERE run_plan.run_id = run.id) AS planned
  FROM run CROSS JOIN device ON device.id = run.device_id
  WHERE NOT EXISTS (SELECT 1 FROM regime WHERE regime.run_id = run.id))
WINDOW latest_first AS (PARTITION BY system, experiment, run_kind, run_device ORDER BY started_at DESC, run_id DESC);
