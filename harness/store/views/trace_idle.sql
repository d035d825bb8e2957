-- Where each traced launch lost the time of its slots, in ns of slot-time and as shares of the whole, slots * duration.
-- busy, ramp, early_warps, hand_over, quantisation, drain, sm_imbalance and block_variance add up to the whole; the last
-- four are the tail, as trace_tail has it. busy is the time of warps: what Nsight Compute counts as sm__warps_active.
-- quantisation: what the last, partial wave costs. Alone it would idle equal_blocks_tail; beside what the full waves
-- idle without it, it adds the rest of the tail. It is the mean of the two (the Shapley value of two causes), not below
-- 0 and not above the tail.
-- The rest of the tail is shared out by what drives the ends of slots apart, as variances: drain by their first starts,
-- which count once; block_variance by chance, which adds up with the number of waves; sm_imbalance by SMs that are
-- slower than others, which adds up with its square. Where nothing varies, SMs were given unequal work: sm_imbalance.
-- So is what SMs idle that ran nothing although there were blocks for all slots.
-- On the CPU device an SM is a worker, a thread of the host that runs one block after another. What lies between
-- workers is how the host's scheduler and the hand-out of blocks treated its threads: it says nothing of a GPU.
-- doubtful: a part that may be another's. Warps stay on their SM until what they stored has arrived, which they cannot
-- note: that time is in hand_over, though the SM is not free. Said where hand_over has more than 3 % of the whole beyond
-- 250 ns a block, about what an SM needs for a new block (190 to 220 ns on an H100), unless blocks are started as fast as the
-- hardware can: one a clock of the whole device (seen on an H100).
-- cause: what costs most; ramp and drain count as one, `ramp`. On the CPU device sm_imbalance is called
-- `worker_imbalance`.
CREATE VIEW trace_idle AS
WITH
  tail AS (
    SELECT *, max(0.0, min(tail_ns, (equal_blocks_tail_ns + tail_ns - full_waves_tail_ns) / 2)) AS quantisation_ns,
      start_variance AS start_weight, max(1, waves) * max(1, waves) * sm_variance AS sm_weight,
      max(1, waves) * block_variance AS block_weight
    FROM trace_tail),
  split AS (
    SELECT *, min(unused_sms_ns, tail_ns - quantisation_ns) AS unused_ns,
      tail_ns - quantisation_ns - min(unused_sms_ns, tail_ns - quantisation_ns) AS rest_ns,
      nullif(start_weight + sm_weight + block_weight, 0) AS weight FROM tail),
  parts AS (
    SELECT *, coalesce(rest_ns * start_weight / weight, 0) AS drain_ns,
      unused_ns + coalesce(rest_ns * sm_weight / weight, rest_ns) AS sm_imbalance_ns,
      coalesce(rest_ns * block_weight / weight, 0) AS block_variance_ns,
      1.0 / nullif(slot_ns, 0) AS per_slot_ns
    FROM split),
  causes AS (
    SELECT *, slot_ns - busy_ns AS idle_ns,
      max(ramp_ns + drain_ns, early_warps_ns, hand_over_ns, quantisation_ns, sm_imbalance_ns, block_variance_ns) AS most_ns,
      hand_over_ns - 250.0 * max(0, blocks - slots) AS stores_ns,
      1000.0 * blocks / nullif(duration_ns, 0)
        > 0.8 * (SELECT clock_mhz FROM trace JOIN device ON device.id = device_id WHERE trace.id = trace_id) AS starts_limit
    FROM parts)
SELECT trace_id, position, max_residency, slots, blocks, waves, duration_ns, slot_ns, busy_ns, idle_ns, ramp_ns,
  early_warps_ns, hand_over_ns, quantisation_ns,
  drain_ns, sm_imbalance_ns, block_variance_ns, busy_ns * per_slot_ns AS utilisation, idle_ns * per_slot_ns AS idle,
  ramp_ns * per_slot_ns AS ramp, early_warps_ns * per_slot_ns AS early_warps, hand_over_ns * per_slot_ns AS hand_over, quantisation_ns * per_slot_ns AS quantisation,
  drain_ns * per_slot_ns AS drain, sm_imbalance_ns * per_slot_ns AS sm_imbalance,
  block_variance_ns * per_slot_ns AS block_variance,
  CASE WHEN most_ns <= 0 THEN NULL WHEN most_ns = quantisation_ns THEN 'quantisation'
    WHEN most_ns = ramp_ns + drain_ns THEN 'ramp'
    WHEN most_ns = sm_imbalance_ns THEN
      iif((SELECT kind FROM trace JOIN device ON device.id = device_id WHERE trace.id = trace_id) = 'cpu', 'worker_imbalance',
        'sm_imbalance')
    WHEN most_ns = block_variance_ns THEN 'block_variance' WHEN most_ns = early_warps_ns THEN 'early_warps'
    ELSE 'hand_over' END AS cause,
  iif(stores_ns * per_slot_ns > 0.03 AND coalesce(starts_limit, 0) = 0,
    printf('hand-over: up to %d %% of the whole may be busy, with stores that had not arrived',
      round(100.0 * stores_ns * per_slot_ns)),
    NULL) AS doubtful
FROM causes;
