-- How many blocks of a trace run at each moment. A picture is 640 points wide: of the changes within a point the lowest
-- and the highest count and the last one are kept, which draw the same line.
WITH
  shown AS MATERIALIZED (
    SELECT *, count(*) OVER () AS charts FROM shown_trace
    WHERE system = :system AND shown_in = :experiment AND device = :device AND kind = :kind
    ORDER BY grid DESC, configuration LIMIT 4),
  changes AS (
    SELECT trace_id, start_ns AS at_ns, weight AS change FROM shown JOIN block_trace USING (trace_id, position)
    UNION ALL SELECT trace_id, end_ns, -weight FROM shown JOIN block_trace USING (trace_id, position)),
  counted AS (
    SELECT trace_id, at_ns, sum(sum(change)) OVER (PARTITION BY trace_id ORDER BY at_ns) AS blocks
    FROM changes GROUP BY trace_id, at_ns),
  binned AS (
    SELECT trace_id, at_ns, blocks, 640 * at_ns / duration_ns AS bin FROM counted JOIN shown USING (trace_id)),
  ranked AS (
    SELECT *, row_number() OVER (alike ORDER BY blocks, at_ns) AS lowest,
      row_number() OVER (alike ORDER BY blocks DESC, at_ns) AS highest,
      row_number() OVER (alike ORDER BY at_ns DESC) AS last
    FROM binned WINDOW alike AS (PARTITION BY trace_id, bin)),
  work AS (
    SELECT trace_id, sum(weight * (left_ns - start_ns)) AS block_ns, max(start_ns) AS last_start_ns
    FROM shown JOIN block_trace USING (trace_id, position) GROUP BY trace_id)
SELECT configuration AS chart, charts,
  'Blocks running at a time on ' || device AS title,
  printf('%s, %s: %,d block%s of %,d thread%s, %g waves; %g %% of the slot time is used%s', variant, kernel, grid,
         iif(grid = 1, '', 's'), block, iif(block = 1, '', 's'), round(waves, 2),
         round(100.0 * block_ns / (1.0 * slots * duration_ns), 1),
         coalesce('; disturbed: ' || disturbed, '')) AS subtitle,
  CASE unit_ns WHEN 1e6 THEN 'ms' WHEN 1e3 THEN 'us' ELSE 'ns' END AS unit,
  round(at_ns / unit_ns, 6) AS time, round(blocks, 3) AS blocks, slots,
  iif(cluster_slots IS NULL, printf('%,d slots: %d SMs x %d blocks', slots, sms, blocks_per_sm),
      printf('%,d slots: blocks of the clusters that run at once', slots)) AS slots_label,
  round(last_start_ns / unit_ns, 6) AS last_start,
  iif(last_start_ns < 0.5 * duration_ns, 'right', 'left') AS side
FROM ranked JOIN shown USING (trace_id) JOIN work USING (trace_id)
WHERE 1 IN (lowest, highest, last)
ORDER BY grid DESC, configuration, at_ns;
