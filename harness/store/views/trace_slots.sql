-- The slots of a traced launch: places for a block on an SM. slots_per_sm is the highest residency seen on an SM, but no
-- more than the blocks per SM computed for the traced build; and these where there are too few blocks to fill all SMs, or
-- not all of them noted, so that no residency was seen.
-- Clusters take their room wherever a GPC has enough for one: of a launch of clusters all slots are one pool, as many as the
-- blocks of the clusters that run at once, or as were seen to (where blocks of a cluster end apart, another cluster may
-- begin in their room). pooled: whether it is so; slots_per_pool: slots of the pool, else of an SM.
CREATE VIEW trace_slots AS
WITH
  seen AS (
    SELECT trace_id, position, count(*) AS used_sms, min(blocks) AS min_blocks, max(blocks) AS max_blocks,
      min(residency) AS min_residency, max(residency) AS max_residency, avg(residency) AS mean_residency,
      sum(busy_ns) AS busy_ns
    FROM trace_sm GROUP BY trace_id, position),
  sized AS (
    SELECT *, grid_x * grid_y * grid_z AS blocks, max(sms, used_sms) AS all_sms, noted_one_in = 1 AS all_note,
      coalesce(traced_blocks_per_sm, blocks_per_sm) AS computed
    FROM trace_launch JOIN seen USING (trace_id, position)),
  slotted AS (
    SELECT *, CASE WHEN all_note AND blocks >= all_sms * computed THEN min(computed, max_residency) ELSE computed END
      AS slots_per_sm,
      CASE WHEN cluster_slots IS NOT NULL AND all_note THEN min(all_sms * computed, max(cluster_slots, (
          SELECT max(running) FROM (
            SELECT sum(step) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) AS running FROM (
              SELECT 2 * start_ns + 1 AS at, 1 AS step FROM block_trace AS one
              WHERE one.trace_id = sized.trace_id AND one.position = sized.position
              UNION ALL SELECT 2 * left_ns, -1 FROM block_trace AS one
              WHERE one.trace_id = sized.trace_id AND one.position = sized.position)))))
        ELSE cluster_slots END AS pool
    FROM sized)
SELECT trace_id, position, kernel, sms, all_sms, blocks_per_sm, blocks, used_sms, min_blocks, max_blocks, all_note,
  iif(all_note, min(computed, min_residency), NULL) AS min_residency,
  iif(all_note, min(computed, max_residency), NULL) AS max_residency,
  iif(all_note, min(computed, mean_residency), NULL) AS mean_residency,
  busy_ns, duration_ns, slots_per_sm, coalesce(pool, all_sms * slots_per_sm) AS slots, cluster_slots, pool IS NOT NULL AS pooled,
  coalesce(pool, slots_per_sm) AS slots_per_pool
FROM slotted;
