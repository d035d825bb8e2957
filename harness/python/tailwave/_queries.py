"""The SQL of tailwave.results. {scope} is a condition on system, experiment, device and kind."""

# What was run or counted where.
RAN = """
SELECT system, experiment, run_device, run_kind FROM run_series
UNION SELECT system, experiment, device.name, device.kind FROM counter_run JOIN device ON device.id = device_id
"""

EXPERIMENTS = """
WITH trials AS (
  SELECT system, experiment, run_device, run_kind, count(*) AS configurations, sum(outcome = 'correct') AS correct,
    max(run_id) AS run_id
  FROM current_trial GROUP BY system, experiment, run_device, run_kind)
SELECT trials.system || '/' || trials.experiment AS experiment, run_device, run_kind, trials.configurations, correct, run.metric,
  run.started_at, run.question
FROM trials JOIN run ON run.id = run_id
ORDER BY 1, run_kind DESC, run_device
"""

# `target` is that of a manifest. Host variants beside kernels have no place, as in `tailwave query best`. A value's interval is
# that of the time where it follows from the time alone, and there is none of what another tuner recorded.
TRIALS = """
WITH
  chosen AS MATERIALIZED (SELECT * FROM current_trial WHERE {scope}),
  ranked AS MATERIALIZED (SELECT trial_id, value, place, of_ranked FROM ranked_trial WHERE {scope}),
  timed AS MATERIALIZED (
    SELECT trial_id, count(*) AS samples, median(time_ns) AS median_ns, median_low(time_ns) AS low_ns,
      median_high(time_ns) AS high_ns
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM chosen) GROUP BY trial_id),
  least AS (
    SELECT system, experiment, run_device, run_kind, min(peers) AS least FROM chosen
    GROUP BY system, experiment, run_device, run_kind)
SELECT chosen.trial_id, chosen.run_id, chosen.system || '/' || chosen.experiment AS experiment, run_device, chosen.device,
  chosen.kind, configuration, variant, chosen.parameters, chosen.problem,
  CASE peers WHEN 0 THEN 'cuda' WHEN 1 THEN 'program' WHEN 2 THEN 'reporting_program' ELSE 'host' END AS target,
  outcome, unverified, detail, samples, median_ns, low_ns, high_ns, metric, chosen.maximise, ranked.value,
  CASE WHEN recorded.trial_id IS NOT NULL THEN NULL WHEN own.trial_id IS NOT NULL THEN own.low
    WHEN metric = 'time' THEN low_ns / 1e9 ELSE ranked.value * median_ns / high_ns END AS value_low,
  CASE WHEN recorded.trial_id IS NOT NULL THEN NULL WHEN own.trial_id IS NOT NULL THEN own.high
    WHEN metric = 'time' THEN high_ns / 1e9 ELSE ranked.value * median_ns / low_ns END AS value_high,
  iif(ranked.value IS NULL OR (peers = 3 AND least < 3), NULL, place) AS place, of_ranked, chosen.mode, chosen.timer,
  kernel, grid, block, dynamic_shared_bytes, static_shared_bytes, registers, spill_bytes, occupancy_device, blocks_per_sm,
  limiter, occupancy, waves, tail_fraction
FROM chosen
  JOIN least USING (system, experiment, run_device, run_kind)
  LEFT JOIN ranked USING (trial_id)
  LEFT JOIN timed USING (trial_id)
  LEFT JOIN trial_waves ON trial_waves.trial_id = chosen.trial_id
  LEFT JOIN trial_metric AS own ON own.trial_id = chosen.trial_id AND own.position = 0
  LEFT JOIN measurement AS recorded ON recorded.trial_id = chosen.trial_id AND recorded.objective = 1
ORDER BY experiment, run_kind DESC, run_device, chosen.trial_id
"""

SAMPLES = """
WITH chosen AS MATERIALIZED (SELECT * FROM current_trial WHERE {scope})
SELECT chosen.trial_id, system || '/' || experiment AS experiment, run_device, device, kind, configuration, variant, parameters,
  problem, unverified, mode, timer, repetition, sample.position, time_ns, executions, dropped, sequence, sm_clock_mhz,
  temperature_c, throttle_reasons, other_processes, metric, metric_value
FROM chosen JOIN sample ON sample.trial_id = chosen.trial_id
ORDER BY experiment, run_kind DESC, run_device, chosen.trial_id, repetition, sample.position
"""

COUNTERS = """
SELECT counter_run_id, position, system || '/' || experiment AS experiment, device, kind, configuration, variant, parameters,
  problem, kernel, grid, block, count, method, counted_at, partial, time_ns, duration_ns, cycles, sm_clock_mhz, instructions,
  ipc, occupancy, issue_share, threads_per_instruction, hardest_unit, hardest_share, l2_share, dram_share, l1_hit_share,
  l2_hit_share, dram_read_bytes, dram_written_bytes, dram_bytes, most_dram_bytes, l2_bytes, local_bytes, sectors_per_load,
  bank_conflict_share, stall_reason, stall_share, any_doubt
FROM counter_summary
WHERE age = 1 AND {scope}
ORDER BY experiment, kind DESC, device, configuration, position
"""

PUBLISHED = """
SELECT published_device, quantity, variant, named, published_value, invalid FROM published_comparison
WHERE place = 1 AND {scope} ORDER BY published_id
"""

LIMITS = "SELECT trial_id, limit_name, share FROM trial_limit WHERE place = 1 AND {scope}"

ROOFLINE = """
SELECT system || '/' || experiment AS experiment, device, configuration, variant, parameters, problem, kernel, precision,
  intensity, attained_flop_per_s, peak_flop_per_s, bandwidth_bytes_per_s, share, counter_roofline.doubt
FROM counter_launch JOIN counter_roofline USING (counter_run_id, position)
WHERE age = 1 AND {scope}
ORDER BY experiment, device, configuration, position, precision
"""
