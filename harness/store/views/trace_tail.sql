-- The idle slot-time of each traced launch by where it lies, and what the tail's causes are told apart by; in ns of
-- slot-time, variances in ns^2. Each SM's k slots take its starts in order, and the j-th start follows the (j - k)-th end:
--   slots * duration = busy + ramp (the first k starts of each SM, since the launch began)
--                    + hand_over (from an end to the start that follows it; below 0 where the clock has them overlap)
--                    + tail (from each slot's last end, or from 0 if it never ran a block, to the end of the launch).
-- equal_blocks_tail_ns: the tail if all blocks took the mean time and began together.
-- full_waves_tail_ns: the tail that the full waves alone had, with the blocks after them left out. Below one wave, the
-- tail of the slots that ran a block, for all slots.
-- start_variance, sm_variance, block_variance: of the slots' first starts, and of the blocks' times between and within SMs
-- (one-way analysis of variance; the share between them is omega squared, from 0 to 1).
CREATE VIEW trace_tail AS
WITH
  ordered AS (
    SELECT trace_id, position, block, sm, start_ns, end_ns,
      row_number() OVER (PARTITION BY trace_id, position, sm ORDER BY start_ns) AS start_place,
      row_number() OVER (PARTITION BY trace_id, position, sm ORDER BY end_ns DESC) AS place_from_end
    FROM block_trace),
  slotted AS (
    SELECT trace_id, position, sm, start_ns, end_ns, 1.0 * busy_ns / blocks AS mean_ns, slots, slots_per_sm,
      max_residency, start_place <= slots_per_sm AS first, place_from_end <= slots_per_sm AS last,
      block < blocks / slots * slots AS full
    FROM trace_slots CROSS JOIN ordered USING (trace_id, position)),
  cut AS (
    SELECT *, full AND row_number() OVER (PARTITION BY trace_id, position, sm, full ORDER BY end_ns DESC) <= slots_per_sm
        AS last_of_full
    FROM slotted),
  by_sm AS (
    SELECT trace_id, position, max(slots) AS slots, max(max_residency) AS max_residency,
      max(slots_per_sm) AS slots_per_sm, count(*) AS blocks,
      sum(first) AS filled, sum(end_ns - start_ns) AS busy_ns,
      sum(first * start_ns) AS first_starts_ns, sum(1.0 * first * start_ns * start_ns) AS first_starts_squared,
      sum(start_ns) AS starts_ns, sum(end_ns) AS ends_ns, sum(last * end_ns) AS last_ends_ns, max(end_ns) AS duration_ns,
      sum(last_of_full * end_ns) AS last_of_full_ns, max(full * end_ns) AS full_duration_ns,
      sum((end_ns - start_ns - mean_ns) * (end_ns - start_ns - mean_ns)) AS squares,
      count(*) * (avg(end_ns - start_ns) - mean_ns) * (avg(end_ns - start_ns) - mean_ns) AS sm_squares
    FROM cut GROUP BY trace_id, position, sm),
  summed AS (
    SELECT trace_id, position, max(slots) AS slots, max(max_residency) AS max_residency, max(slots_per_sm) AS slots_per_sm, count(*) AS used_sms,
      sum(blocks) AS blocks, sum(filled) AS filled,
      sum(busy_ns) AS busy_ns, max(duration_ns) AS duration_ns, sum(first_starts_ns) AS ramp_ns,
      sum(first_starts_squared) AS first_starts_squared,
      sum(starts_ns - first_starts_ns - ends_ns + last_ends_ns) AS hand_over_ns,
      sum(last_ends_ns) AS last_ends_ns, sum(last_of_full_ns) AS last_of_full_ns,
      max(full_duration_ns) AS full_duration_ns,
      sum(squares) AS squares, sum(sm_squares) AS sm_squares
    FROM by_sm GROUP BY trace_id, position),
  compared AS (
    SELECT *, slots * duration_ns - last_ends_ns AS tail_ns, 1.0 * busy_ns / blocks AS mean_ns,
      1.0 * ramp_ns / filled AS first_start_ns,
      -- within SMs; where no SM has two blocks, all of it
      CASE WHEN blocks > used_sms THEN (squares - sm_squares) / (blocks - used_sms) ELSE squares END AS mean_square
    FROM summed),
  shared AS (
    SELECT *, min(1, max(0, coalesce((sm_squares - (used_sms - 1) * mean_square) / nullif(squares + mean_square, 0), 0)))
        AS sm_share
    FROM compared)
SELECT trace_id, position, max_residency, slots, blocks, 1.0 * blocks / slots AS waves, duration_ns,
  slots * duration_ns AS slot_ns, busy_ns,
  ramp_ns, hand_over_ns, tail_ns,
  -- of SMs that ran nothing although there were blocks for all slots
  CASE WHEN blocks >= slots THEN slots * duration_ns * (1.0 - 1.0 * used_sms * slots_per_sm / slots) ELSE 0 END
    AS unused_sms_ns,
  min(tail_ns, ((blocks + slots - 1) / slots * slots - blocks) * mean_ns) AS equal_blocks_tail_ns,
  CASE WHEN blocks >= slots THEN slots * full_duration_ns - last_of_full_ns
    ELSE 1.0 * (filled * duration_ns - last_ends_ns) * slots / filled END AS full_waves_tail_ns,
  max(0, first_starts_squared / filled - first_start_ns * first_start_ns) AS start_variance,
  sm_share * squares / blocks AS sm_variance, (1 - sm_share) * squares / blocks AS block_variance
FROM shared;
