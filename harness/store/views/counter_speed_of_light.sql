-- How near each counted launch drove the units of the GPU to what they can: a row for each unit that was counted. used
-- and most: what it did, and what it could have done in the same cycles, at the rate that CUPTI calls peak_sustained;
-- share: used over most, or the share that Nsight Compute gives. place: 1 for the unit that was driven hardest, the
-- limiter if any is. doubt: why a share cannot be true; its counters come from different executions (passes).
-- issue: instructions issued; fma, alu, fp64, xu, tensor: pipes; l1: the data pipe of L1 and shared memory; l2, dram:
-- bytes; sm: Nsight Compute's sm__throughput, the highest share of some units of an SM.
CREATE VIEW counter_speed_of_light AS
WITH
  -- so many counters are added up, of those that are named; then their peak a cycle and the cycles
  unit (number, unit, parts, counter, second, stand_in, second_stand_in, peak, cycles, percent, other_percent) AS (
    VALUES
      (1, 'issue', 1, 'smsp__issue_active.sum', '', '', '', 'smsp__issue_active.sum.peak_sustained',
        'sm__cycles_elapsed.avg', 'smsp__issue_active.avg.pct_of_peak_sustained_elapsed',
        'sm__inst_issued.avg.pct_of_peak_sustained_elapsed'),
      (2, 'fma', 1, 'sm__inst_executed_pipe_fma.sum', '', '', '', 'sm__inst_executed_pipe_fma.sum.peak_sustained',
        'sm__cycles_elapsed.avg', 'sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed',
        'sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed'),
      (3, 'alu', 1, 'sm__inst_executed_pipe_alu.sum', '', '', '', 'sm__inst_executed_pipe_alu.sum.peak_sustained',
        'sm__cycles_elapsed.avg', 'sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed',
        'sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed'),
      (4, 'fp64', 1, 'sm__inst_executed_pipe_fp64.sum', '', '', '', 'sm__inst_executed_pipe_fp64.sum.peak_sustained',
        'sm__cycles_elapsed.avg', 'sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed',
        'sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed'),
      (5, 'xu', 1, 'sm__inst_executed_pipe_xu.sum', '', '', '', 'sm__inst_executed_pipe_xu.sum.peak_sustained',
        'sm__cycles_elapsed.avg', 'sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed', ''),
      (6, 'tensor', 1, 'sm__pipe_tensor_cycles_active.sum', '', '', '',
        'sm__pipe_tensor_cycles_active.sum.peak_sustained', 'sm__cycles_elapsed.avg',
        'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed', ''),
      (7, 'l1', 1, 'l1tex__data_pipe_lsu_wavefronts.sum', '', '', '',
        'l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained', 'sm__cycles_elapsed.avg',
        'l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed', ''),
      (8, 'l2', 1, 'lts__t_bytes.sum', '', '', '', 'lts__t_bytes.sum.peak_sustained', 'lts__cycles_elapsed.avg',
        'lts__t_bytes.avg.pct_of_peak_sustained_elapsed', 'lts__throughput.avg.pct_of_peak_sustained_elapsed'),
      (9, 'dram', 2, 'dram__bytes_read.sum', 'dram__bytes_write.sum', 'dram__bytes_op_read.sum',
        'dram__bytes_op_write.sum', 'dram__bytes.sum.peak_sustained', 'dram__cycles_elapsed.avg',
        'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed', 'dram__throughput.avg.pct_of_peak_sustained_elapsed'),
      (10, 'sm', 1, '', '', '', '', '', '', 'sm__throughput.avg.pct_of_peak_sustained_elapsed', '')),
  counted AS (
    SELECT launch.counter_run_id, launch.position, number, unit,
      (SELECT iif(count(value) = parts, sum(value), NULL) FROM counter_value
       WHERE counter_value.counter_run_id = launch.counter_run_id AND counter_value.position = launch.position
         AND doubt IS NULL AND metric IN (counter, second, stand_in, second_stand_in)) AS used,
      (SELECT value FROM counter_value
       WHERE counter_value.counter_run_id = launch.counter_run_id AND counter_value.position = launch.position
         AND doubt IS NULL AND metric = peak)
        * (SELECT value FROM counter_value
           WHERE counter_value.counter_run_id = launch.counter_run_id AND counter_value.position = launch.position
             AND doubt IS NULL AND metric = cycles) AS most,
      (SELECT max(value) FROM counter_value
       WHERE counter_value.counter_run_id = launch.counter_run_id AND counter_value.position = launch.position
         AND metric IN (percent, other_percent)) AS percent
    FROM counted_launch AS launch CROSS JOIN unit),
  shared AS (
    SELECT *, coalesce(used / nullif(most, 0), percent / 100) AS share FROM counted)
SELECT counter_run_id, position, unit, used, most, share,
  CASE WHEN share > 1 THEN 'above 100 %' WHEN share < 0 THEN 'negative' END AS doubt,
  row_number() OVER (PARTITION BY counter_run_id, position ORDER BY unit = 'sm', share DESC, number) AS place
FROM shared WHERE share IS NOT NULL;
