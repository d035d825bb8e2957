-- The roofline of each counted launch (Williams, Waterman, Patterson 2009): a row for each precision in which it
-- computed, with 1 % of its flop or more: compilers load constants by FP16 instructions. flop: additions and multiplications of threads, 2 for both at once, twice that for FP16, which takes two at
-- a time; those of tensor cores are not among them. intensity: flop for each byte to or from DRAM, of all precisions'
-- bytes; NULL where there were none. peak and bandwidth: what CUPTI calls peak_sustained, at the clocks of the launch.
-- ceiling: the less of peak and intensity x bandwidth, bound by 'compute' or 'memory'. share: attained over ceiling.
CREATE VIEW counter_roofline AS
WITH
  flat AS (
    SELECT counter_run_id, position, metric, value FROM counter_value WHERE doubt IS NULL),
  precision (number, precision, width, letter) AS (
    VALUES (1, 'fp64', 1, 'd'), (2, 'fp32', 1, 'f'), (3, 'fp16', 2, 'h')),
  counted AS (
    SELECT counter_run_id, position, duration_ns, cycles, dram_bytes, most_dram_bytes, number, precision, width,
      (SELECT coalesce(
          sum(value * iif(metric LIKE '%\_' || letter || 'fma\_%' ESCAPE '\', 2, 1))
            FILTER (WHERE metric LIKE '%pred\_on.sum' ESCAPE '\'),
          cycles * sum(value * iif(metric LIKE '%\_' || letter || 'fma\_%' ESCAPE '\', 2, 1))
            FILTER (WHERE metric LIKE '%per\_cycle\_elapsed' ESCAPE '\'))
       FROM flat
       WHERE flat.counter_run_id = counter_launch.counter_run_id AND flat.position = counter_launch.position
         AND metric IN (
           'smsp__sass_thread_inst_executed_op_' || letter || 'add_pred_on.sum',
           'smsp__sass_thread_inst_executed_op_' || letter || 'mul_pred_on.sum',
           'smsp__sass_thread_inst_executed_op_' || letter || 'fma_pred_on.sum',
           'smsp__sass_thread_inst_executed_op_' || letter || 'add_pred_on.sum.per_cycle_elapsed',
           'smsp__sass_thread_inst_executed_op_' || letter || 'mul_pred_on.sum.per_cycle_elapsed',
           'smsp__sass_thread_inst_executed_op_' || letter || 'fma_pred_on.sum.per_cycle_elapsed')) * width AS flop,
      (SELECT value FROM flat
       WHERE flat.counter_run_id = counter_launch.counter_run_id AND flat.position = counter_launch.position
         AND metric = 'sm__sass_thread_inst_executed_op_' || letter || 'fma_pred_on.sum.peak_sustained')
        * 2 * width * cycles / nullif(duration_ns, 0) * 1e9 AS peak_flop_per_s
    FROM counter_launch CROSS JOIN precision),
  placed AS (
    SELECT *, flop / nullif(dram_bytes, 0) AS intensity, flop / nullif(duration_ns, 0) * 1e9 AS attained_flop_per_s,
      most_dram_bytes / nullif(duration_ns, 0) * 1e9 AS bandwidth_bytes_per_s
    FROM (SELECT *, sum(flop) OVER (PARTITION BY counter_run_id, position) AS all_flop FROM counted)
    WHERE flop > 0 AND flop >= 0.01 * all_flop),
  bounded AS (
    SELECT *, iif(dram_bytes = 0, peak_flop_per_s, min(peak_flop_per_s, intensity * bandwidth_bytes_per_s))
      AS ceiling_flop_per_s
    FROM placed)
SELECT counter_run_id, position, precision, flop, dram_bytes, intensity, attained_flop_per_s, peak_flop_per_s,
  bandwidth_bytes_per_s, ceiling_flop_per_s, attained_flop_per_s / ceiling_flop_per_s AS share,
  CASE WHEN ceiling_flop_per_s < peak_flop_per_s THEN 'memory'
    WHEN ceiling_flop_per_s IS NOT NULL THEN 'compute' END AS bound,
  CASE WHEN attained_flop_per_s > ceiling_flop_per_s THEN 'above 100 %' END AS doubt
FROM bounded ORDER BY counter_run_id, position, number;
