-- What each SM did in a traced launch. residency: the most blocks it had at once; above what was computed for the
-- traced build, only blocks that overlap by more than a step of the clock count. On the CPU device an SM is a worker.
CREATE VIEW trace_sm AS
WITH
  -- an odd time is a start, an even one an end, which comes first of two at the same time
  events AS (
    SELECT trace_id, position, sm, 2 * start_ns + 1 AS at FROM block_trace
    UNION ALL
    SELECT trace_id, position, sm, 2 * end_ns FROM block_trace),
  counted AS (
    SELECT trace_id, position, sm,
      sum(at % 2 * 2 - 1) OVER (PARTITION BY trace_id, position, sm ORDER BY at ROWS UNBOUNDED PRECEDING) AS running
    FROM events),
  seen AS (
    SELECT trace_id, position, sm, max(1, max(running)) AS residency FROM counted GROUP BY trace_id, position, sm),
  above AS (
    SELECT seen.trace_id, seen.position, sm, coalesce(traced_blocks_per_sm, blocks_per_sm) AS computed, clock_step_ns
    FROM seen
      JOIN trace_launch ON trace_launch.trace_id = seen.trace_id AND trace_launch.position = seen.position
      JOIN trace ON trace.id = seen.trace_id
    WHERE residency > coalesce(traced_blocks_per_sm, blocks_per_sm)),
  events_above AS (
    SELECT trace_id, position, sm, computed,
      2 * start_ns + 1 AS at FROM above JOIN block_trace USING (trace_id, position, sm)
    UNION ALL
    SELECT trace_id, position, sm, computed, 2 * max(start_ns, end_ns - clock_step_ns)
    FROM above JOIN block_trace USING (trace_id, position, sm)),
  counted_above AS (
    SELECT trace_id, position, sm, computed,
      sum(at % 2 * 2 - 1) OVER (PARTITION BY trace_id, position, sm ORDER BY at ROWS UNBOUNDED PRECEDING) AS running
    FROM events_above),
  seen_above AS (
    SELECT trace_id, position, sm, max(max(running), max(computed)) AS residency
    FROM counted_above GROUP BY trace_id, position, sm),
  worked AS (
    SELECT trace_id, position, sm, count(*) AS blocks, sum(end_ns - start_ns) AS busy_ns, min(start_ns) AS first_start_ns,
      max(end_ns) AS last_end_ns
    FROM block_trace GROUP BY trace_id, position, sm)
SELECT trace_id, position, sm, blocks, coalesce(seen_above.residency, seen.residency) AS residency, busy_ns,
  first_start_ns, last_end_ns
FROM worked
  JOIN seen USING (trace_id, position, sm)
  LEFT JOIN seen_above USING (trace_id, position, sm);
