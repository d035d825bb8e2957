-- The idle slot-time of each traced launch by where it lies, and what the tail's causes are told apart by; in ns of
-- slot-time, variances in ns^2. A block counts as gone when its warps had left on average, so that busy is the time of
-- warps; blocks that note stand for those that do not (weight). Each SM's k slots take its starts in order, and the j-th
-- start follows the (j - k)-th end (where not all note, those of the first wave, by number, have the first starts); of a
-- launch of clusters all SMs together are one with as many slots (trace_slots):
--   slots * duration = busy + ramp (the first k starts of each SM, since the launch began)
--                    + replacing (from an end to the start that follows it)
--                    + tail (from each slot's last end, or from 0 if it never ran a block, to the end of the launch).
-- early_warps_ns + hand_over_ns = replacing: the room of warps that had left while it was not enough for another block
-- (until the last warp of theirs left, or as many of other blocks), and what passed from then until the next block began.
-- equal_blocks_tail_ns: the tail if all blocks took the mean time and began together.
-- full_waves_tail_ns: the tail that the full waves alone had, with the blocks after them left out. Below one wave, the
-- tail of the slots that ran a block, for all slots.
-- start_variance, sm_variance, block_variance: of the slots' first starts, and of the blocks' times between and within SMs
-- (one-way analysis of variance; the share between them is omega squared, from 0 to 1).
CREATE VIEW trace_tail AS
WITH
  ordered AS (
    SELECT trace_id, position, block, sm, pool, start_ns, end_ns, left_ns, weight,
      sum(weight) OVER (PARTITION BY trace_id, position, pool ORDER BY start_ns, block ROWS UNBOUNDED PRECEDING) AS started,
      sum(weight) OVER (PARTITION BY trace_id, position, pool ORDER BY left_ns DESC, block ROWS UNBOUNDED PRECEDING)
        AS still_to_leave,
      sum(weight) OVER (PARTITION BY trace_id, position, pool ORDER BY end_ns DESC, block ROWS UNBOUNDED PRECEDING)
        AS still_to_end
    FROM (SELECT block_trace.*, iif(cluster_slots IS NULL, sm, -1) AS pool
          FROM block_trace JOIN trace_launch USING (trace_id, position))),
  mean AS (
    SELECT trace_id, position, sum(weight * (end_ns - start_ns)) / sum(weight) AS mean_ns, sum(weight) AS weights
    FROM block_trace GROUP BY trace_id, position),
  -- so much of a block's weight is among the first or the last of its SM's slots
  slotted AS (
    SELECT trace_id, position, sm, pool, start_ns, end_ns, left_ns, weight, mean_ns, slots_per_pool,
      iif(all_note, max(0, min(weight, slots_per_pool - started + weight)), weight * (block < slots)) AS first,
      max(0, min(weight, slots_per_pool - still_to_leave + weight)) AS last,
      max(0, min(weight, slots_per_pool - still_to_end + weight)) AS last_to_end,
      block < blocks / slots * slots AS full
    FROM trace_slots CROSS JOIN ordered USING (trace_id, position) CROSS JOIN mean USING (trace_id, position)),
  cut AS (
    SELECT *, full * max(0, min(weight, slots_per_pool + weight - sum(weight) OVER (
        PARTITION BY trace_id, position, pool, full ORDER BY left_ns DESC ROWS UNBOUNDED PRECEDING))) AS last_of_full
    FROM slotted),
  by_sm AS (
    SELECT trace_id, position, count(*) AS noted, sum(weight) AS weights, sum(first) AS filled,
      sum(weight * (left_ns - start_ns)) AS busy_ns, sum(weight * (end_ns - start_ns)) AS block_ns,
      sum(first * start_ns) AS first_starts_ns, sum(1.0 * first * start_ns * start_ns) AS first_starts_squared,
      sum(last * left_ns) AS last_left_ns, sum(last_to_end * end_ns) AS last_ends_ns,
      sum(last_of_full * left_ns) AS last_of_full_ns, max(full * left_ns) AS full_duration_ns,
      sum(weight * (end_ns - start_ns - mean_ns) * (end_ns - start_ns - mean_ns)) AS squares,
      sum(weight * (end_ns - start_ns)) / sum(weight) - max(mean_ns) AS apart_ns
    FROM cut GROUP BY trace_id, position, sm),
  summed AS (
    SELECT trace_id, position, count(*) AS used_sms, sum(noted) AS noted, sum(weights) AS weights, sum(filled) AS filled,
      sum(busy_ns) AS busy_ns, sum(block_ns) AS block_ns, sum(first_starts_ns) AS ramp_ns,
      sum(first_starts_squared) AS first_starts_squared, sum(last_left_ns) AS last_left_ns,
      sum(last_ends_ns) AS last_ends_ns, sum(last_of_full_ns) AS last_of_full_ns,
      max(full_duration_ns) AS full_duration_ns, sum(squares) AS squares,
      sum(weights * apart_ns * apart_ns) AS sm_squares
    FROM by_sm GROUP BY trace_id, position),
  compared AS (
    SELECT summed.*, all_sms, max_residency, slots, slots_per_sm, pooled, blocks, duration_ns,
      slots * duration_ns - last_left_ns AS tail_ns, 1.0 * ramp_ns / filled AS first_start_ns,
      last_left_ns - ramp_ns - summed.busy_ns AS replacing_ns, last_ends_ns - ramp_ns - block_ns AS after_ends_ns,
      1.0 * summed.busy_ns / weights AS mean_busy_ns,
      -- within SMs; where no SM has two blocks, all of it
      CASE WHEN noted > summed.used_sms THEN (squares - sm_squares) / (noted - summed.used_sms) ELSE squares END
        AS mean_square
    FROM summed JOIN trace_slots USING (trace_id, position)),
  shared AS (
    SELECT *, min(1, max(0, coalesce((sm_squares - (used_sms - 1) * mean_square) / nullif(squares + mean_square, 0), 0)))
        AS sm_share
    FROM compared)
SELECT trace_id, position, max_residency, slots, blocks, 1.0 * blocks / slots AS waves, duration_ns,
  slots * duration_ns AS slot_ns, busy_ns, ramp_ns,
  max(0, replacing_ns - max(0, after_ends_ns)) AS early_warps_ns,
  min(replacing_ns, max(0, after_ends_ns)) AS hand_over_ns, tail_ns,
  -- of SMs that ran nothing although there were blocks for all slots; clusters leave some without
  CASE WHEN blocks >= slots AND NOT pooled THEN slots * duration_ns * (1.0 - 1.0 * used_sms * slots_per_sm / slots) ELSE 0 END
    AS unused_sms_ns,
  min(tail_ns, ((blocks + slots - 1) / slots * slots - blocks) * mean_busy_ns) AS equal_blocks_tail_ns,
  CASE WHEN blocks >= slots THEN slots * full_duration_ns - last_of_full_ns
    ELSE 1.0 * (filled * duration_ns - last_left_ns) * slots / filled END AS full_waves_tail_ns,
  max(0, first_starts_squared / filled - first_start_ns * first_start_ns) AS start_variance,
  sm_share * squares / weights AS sm_variance, (1 - sm_share) * squares / weights AS block_variance
FROM shared;
