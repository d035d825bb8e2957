-- What each SM did in a traced launch, by the blocks that noted. blocks, busy_ns: estimates where not all did. residency:
-- the most blocks it was seen to have at once, each from its start until its warps had left on average; a lower bound where
-- not all note. On the CPU device an SM is a worker.
CREATE VIEW trace_sm AS
WITH
  -- an odd time is a start, an even one an end, which comes first of two at the same time
  events AS (
    SELECT trace_id, position, sm, 2 * start_ns + 1 AS at FROM block_trace
    UNION ALL
    SELECT trace_id, position, sm, 2 * left_ns FROM block_trace),
  counted AS (
    SELECT trace_id, position, sm,
      sum(at % 2 * 2 - 1) OVER (PARTITION BY trace_id, position, sm ORDER BY at ROWS UNBOUNDED PRECEDING) AS running
    FROM events),
  seen AS (
    SELECT trace_id, position, sm, max(1, max(running)) AS residency FROM counted GROUP BY trace_id, position, sm),
  worked AS (
    SELECT trace_id, position, sm, sum(weight) AS blocks, sum(weight * (left_ns - start_ns)) AS busy_ns,
      min(start_ns) AS first_start_ns, max(end_ns) AS last_end_ns
    FROM block_trace GROUP BY trace_id, position, sm)
SELECT trace_id, position, sm, blocks, residency, busy_ns, first_start_ns, last_end_ns
FROM worked JOIN seen USING (trace_id, position, sm);
