-- The slots of a traced launch: places for a block on an SM. slots_per_sm is the highest residency seen on an SM; when
-- there are too few blocks to fill all SMs, at least the blocks per SM computed for the traced build.
CREATE VIEW trace_slots AS
WITH
  seen AS (
    SELECT trace_id, position, count(*) AS used_sms, sum(blocks) AS blocks, min(blocks) AS min_blocks,
      max(blocks) AS max_blocks, min(residency) AS min_residency, max(residency) AS max_residency,
      sum(residency) AS used_slots, sum(busy_ns) AS busy_ns, max(last_end_ns) AS duration_ns
    FROM trace_sm GROUP BY trace_id, position),
  sized AS (
    SELECT *, max(sms, used_sms) AS all_sms, coalesce(traced_blocks_per_sm, blocks_per_sm) AS predicted
    FROM trace_launch JOIN seen USING (trace_id, position))
SELECT trace_id, position, kernel, sms, grid_x * grid_y * grid_z AS grid, blocks_per_sm, blocks, used_sms, min_blocks,
  max_blocks, min_residency, max_residency, used_slots, busy_ns, duration_ns,
  CASE WHEN blocks >= all_sms * predicted THEN max_residency ELSE max(predicted, max_residency) END AS slots_per_sm,
  all_sms * CASE WHEN blocks >= all_sms * predicted THEN max_residency ELSE max(predicted, max_residency) END AS slots
FROM sized;
