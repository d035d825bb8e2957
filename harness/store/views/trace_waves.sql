-- Waves and residency of each traced launch, as computed for the plain build and as seen. utilisation: the share of the
-- slots' time in which they had warps. block_cv: standard deviation of the blocks' times over their mean. Of a launch of
-- which not all blocks note, what is seen on an SM is an estimate, and the residency is not known.
CREATE VIEW trace_waves AS
WITH
  timed AS (
    SELECT trace_id, position, weight, 1.0 * (end_ns - start_ns) AS block_ns,
      sum(weight) OVER (PARTITION BY trace_id, position ORDER BY end_ns - start_ns, block ROWS UNBOUNDED PRECEDING)
        AS place,
      sum(weight) OVER (PARTITION BY trace_id, position) AS weights,
      sum(weight * (end_ns - start_ns)) OVER (PARTITION BY trace_id, position)
        / sum(weight) OVER (PARTITION BY trace_id, position) AS mean_ns
    FROM block_trace),
  spread AS (
    SELECT trace_id, position, max(mean_ns) AS block_mean_ns,
      (min(iif(2 * place >= weights, block_ns, NULL)) + coalesce(min(iif(2 * place > weights, block_ns, NULL)), max(block_ns)))
        / 2 AS block_median_ns,
      sum(weight * (block_ns - mean_ns) * (block_ns - mean_ns)) / max(weights) / nullif(max(mean_ns) * max(mean_ns), 0)
        AS relative_variance
    FROM timed GROUP BY trace_id, position)
SELECT trace_id, position, kernel, blocks AS grid, sms, blocks_per_sm AS predicted_blocks_per_sm,
  1.0 * blocks / coalesce(cluster_slots, sms * blocks_per_sm) AS predicted_waves, blocks, used_sms, max_residency, min_residency,
  mean_residency, min_blocks AS min_blocks_of_sm, 1.0 * blocks / used_sms AS mean_blocks_of_sm,
  max_blocks AS max_blocks_of_sm,
  1.0 * blocks / iif(pooled, slots, used_sms * coalesce(mean_residency, slots_per_sm)) AS observed_waves,
  slots_per_sm, slots, duration_ns, block_mean_ns, block_median_ns,
  -- Heron's method, since not every SQLite has sqrt()
  CASE WHEN relative_variance > 0 THEN (
    WITH RECURSIVE root (value, step) AS (
      SELECT 1.0, 0 UNION ALL SELECT (value + relative_variance / value) / 2, step + 1 FROM root WHERE step < 40)
    SELECT value FROM root WHERE step = 40) ELSE relative_variance END AS block_cv,
  1.0 * busy_ns / nullif(slots * duration_ns, 0) AS utilisation
FROM trace_slots JOIN spread USING (trace_id, position);
