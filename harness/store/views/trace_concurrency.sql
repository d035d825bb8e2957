-- Blocks running over time in each traced launch, a step function: `running` blocks from time_ns to the next row's; an
-- estimate where not all blocks note.
CREATE VIEW trace_concurrency AS
WITH
  events AS (
    SELECT trace_id, position, start_ns AS time_ns, weight AS step FROM block_trace
    UNION ALL
    SELECT trace_id, position, end_ns, -weight FROM block_trace),
  changes AS (
    SELECT trace_id, position, time_ns, sum(step) AS step FROM events GROUP BY trace_id, position, time_ns)
SELECT trace_id, position, time_ns, sum(step) OVER (PARTITION BY trace_id, position ORDER BY time_ns) AS running
FROM changes;
