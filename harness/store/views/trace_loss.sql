-- trace_idle in long form: a row for each part of the slots' time, busy included; the shares add up to 1.
CREATE VIEW trace_loss AS
WITH
  part (place, part) AS (
    VALUES (1, 'busy'), (2, 'ramp'), (3, 'early_warps'), (4, 'hand_over'), (5, 'quantisation'), (6, 'drain'),
      (7, 'sm_imbalance'), (8, 'block_variance')),
  long AS (
    SELECT trace_id, position, place, part, slot_ns AS whole_ns,
      CASE place WHEN 1 THEN busy_ns WHEN 2 THEN ramp_ns WHEN 3 THEN early_warps_ns WHEN 4 THEN hand_over_ns
        WHEN 5 THEN quantisation_ns WHEN 6 THEN drain_ns WHEN 7 THEN sm_imbalance_ns ELSE block_variance_ns END AS slot_ns
    FROM trace_idle CROSS JOIN part)
SELECT trace_id, position, place, part, slot_ns, 1.0 * slot_ns / nullif(whole_ns, 0) AS share FROM long;
