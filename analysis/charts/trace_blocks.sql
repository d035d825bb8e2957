-- Every block of a trace in which all note as a bar in a slot of its SM, on so many SMs that the bars can be told apart.
-- A block takes the slot of the block that ended first among those whose slots are free: the i-th start on an SM with
-- r slots in use at most follows the end number i - r, which was never later.
WITH RECURSIVE
  shown AS MATERIALIZED (
    SELECT *, count(*) OVER () AS charts FROM shown_trace
    WHERE all_note AND system = :system AND shown_in = :experiment AND device = :device AND kind = :kind
    ORDER BY grid DESC, configuration LIMIT 4),
  ordered AS MATERIALIZED (
    SELECT trace_id, sm, block_trace.block, start_ns, max(end_ns, start_ns + 1) AS end_ns,
      row_number() OVER (PARTITION BY trace_id, sm ORDER BY start_ns, block_trace.block) AS start_rank,
      row_number() OVER (PARTITION BY trace_id, sm ORDER BY max(end_ns, start_ns + 1), block_trace.block) AS end_rank
    FROM shown JOIN block_trace USING (trace_id, position)),
  changes AS (
    SELECT trace_id, sm, start_ns AS at_ns, 1 AS change FROM ordered
    UNION ALL SELECT trace_id, sm, end_ns, -1 FROM ordered),
  resident AS (
    SELECT trace_id, sm, sum(change) OVER (PARTITION BY trace_id, sm ORDER BY at_ns, change) AS blocks FROM changes),
  used AS MATERIALIZED (
    SELECT trace_id, sm, max(blocks) AS slots FROM resident GROUP BY trace_id, sm),
  busy AS MATERIALIZED (
    SELECT trace_id, sm, slots, count(*) AS blocks,
      row_number() OVER (PARTITION BY trace_id ORDER BY max(end_ns), sm) - 1 AS place,
      count(*) OVER (PARTITION BY trace_id) AS sms, max(slots) OVER (PARTITION BY trace_id) AS most_slots,
      max(count(*)) OVER (PARTITION BY trace_id) AS most_blocks
    FROM ordered JOIN used USING (trace_id, sm) GROUP BY trace_id, sm),
  sized AS (
    SELECT *, max(1, min(sms, 24, 192 / most_slots, 2500 / most_blocks)) AS wanted,
      (most_blocks + 2499) / 2500 AS merged  -- blocks to a bar
    FROM busy),
  chosen AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY trace_id ORDER BY place) - 1 AS line
    FROM sized
    WHERE CASE wanted WHEN 1 THEN place = sms - 1
      ELSE place = CAST(round(round(place * (wanted - 1.0) / max(1, sms - 1)) * (sms - 1) / (wanted - 1)) AS INTEGER) END),
  followed AS (
    SELECT ordered.trace_id, ordered.sm, block, start_ns, end_ns, end_rank, start_rank AS slot, 1 AS turn
    FROM ordered JOIN chosen ON chosen.trace_id = ordered.trace_id AND chosen.sm = ordered.sm
    WHERE start_rank <= slots
    UNION ALL
    SELECT ordered.trace_id, ordered.sm, ordered.block, ordered.start_ns, ordered.end_ns, ordered.end_rank, followed.slot,
      turn + 1
    FROM followed
      JOIN chosen ON chosen.trace_id = followed.trace_id AND chosen.sm = followed.sm
      JOIN ordered ON ordered.trace_id = followed.trace_id AND ordered.sm = followed.sm
        AND ordered.start_rank = followed.end_rank + chosen.slots),
  bars AS (
    SELECT trace_id, sm, line, slot, (turn - 1) / merged AS bar, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
      min(block) AS first_block
    FROM followed JOIN chosen USING (trace_id, sm) GROUP BY trace_id, sm, slot, bar)
SELECT configuration AS chart, charts,
  'Blocks on the SMs of ' || shown.device AS title,
  printf('%s, %s: %,d block%s of %,d thread%s, %g waves of %s%s', variant, kernel, grid,
         iif(grid = 1, '', 's'), block, iif(block = 1, '', 's'), round(waves, 2),
         iif(cluster_slots IS NULL, printf('%d SMs x %d blocks', shown.sms, blocks_per_sm), printf('%d blocks in clusters', slots)),
         coalesce('; disturbed: ' || disturbed, '')) || char(10) ||
    iif(shown_sms = busy_sms, printf('All %d', busy_sms), printf('%d of the %d', shown_sms, busy_sms)) ||
    ' SMs that had blocks, from the first to finish (top) to the last' || char(10) ||
    printf('A bar is %s in a slot of the SM; shades alternate%s', iif(merged = 1, 'a block', merged || ' blocks'),
           iif(partial, '; orange: blocks beyond the whole waves', '')) AS subtitle,
  CAST(max(60, min(420, 14 * (shown_sms * (most_slots + gap) - gap))) AS INTEGER) AS height,
  CASE unit_ns WHEN 1e6 THEN 'ms' WHEN 1e3 THEN 'us' ELSE 'ns' END AS unit,
  'SM ' || sm AS sm, line * (most_slots + gap) + slot - 1 AS top, line * (most_slots + gap) + slot AS bottom,
  line * (most_slots + gap) + most_slots / 2.0 AS middle, slot = 1 AND bar = 0 AS first,
  round(start_ns / unit_ns, 6) AS start, round(bars.end_ns / unit_ns, 6) AS end,
  CASE WHEN partial AND first_block >= whole THEN 'last' WHEN bar % 2 THEN 'even' ELSE 'odd' END AS shade
FROM bars
  JOIN shown USING (trace_id)
  JOIN (SELECT trace_id AS id, max(merged) AS merged, max(most_slots) AS most_slots, max(sms) AS busy_sms,
          count(*) AS shown_sms, max(0.4, max(most_slots) / 5.0) AS gap
        FROM chosen GROUP BY trace_id) ON id = trace_id
  JOIN (SELECT trace_id AS whole_id, CAST(waves AS INTEGER) * slots AS whole,
          waves > 1 AND waves <> CAST(waves AS INTEGER) AS partial FROM shown) ON whole_id = trace_id
ORDER BY grid DESC, configuration, line, slot, bar;
