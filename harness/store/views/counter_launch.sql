-- Each counted launch in one row: what its counters say, and what follows from them alone. A value that cannot be true
-- (counter_value.doubt) counts as not known. partial and age: as in counter_age. time_ns: of the whole plan without
-- counters; duration_ns: of this launch while it was counted.
-- occupancy: warps over what the SMs hold, while they have any: warps_active / (peak x cycles_active); of all cycles:
-- occupancy_elapsed. issue_share: cycles in which a scheduler issued, over all; ipc: instructions a cycle and SM.
-- threads_per_instruction: threads that a predicate or a branch did not turn off, of 32. sectors_per_load: of 32 bytes,
-- that a warp's load of global memory touches; 4 is the least for 4 bytes a thread. bank_conflict_share: of the turns
-- of shared memory. most_dram_bytes: what DRAM could have moved in the same time. doubt: why a share cannot be true;
-- its counters come from different executions (passes).
CREATE VIEW counter_launch AS
WITH
  kind (kind) AS (
    VALUES ('fp32'), ('fp64'), ('fp16'), ('integer'), ('bit'), ('conversion'), ('control'), ('memory'),
      ('inter_thread_communication'), ('uniform'), ('misc')),
  flat AS (
    SELECT counter_run_id, position,
      max(value) FILTER (WHERE metric = 'gpu__time_duration.sum') AS duration_ns,
      coalesce(max(value) FILTER (WHERE metric = 'gpc__cycles_elapsed.max'),
        max(value) FILTER (WHERE metric = 'sm__cycles_elapsed.max')) AS gpc_cycles,
      max(value) FILTER (WHERE metric = 'sm__cycles_elapsed.avg') AS sm_cycles,
      max(value) FILTER (WHERE metric = 'sm__cycles_active.avg') AS active_cycles,
      max(value) FILTER (WHERE metric = 'sm__warps_active.sum') AS warps,
      max(value) FILTER (WHERE metric = 'sm__warps_active.sum.peak_sustained') AS most_warps,
      max(value) FILTER (WHERE metric = 'sm__warps_active.avg.pct_of_peak_sustained_active') AS occupancy_percent,
      coalesce(max(value) FILTER (WHERE metric = 'smsp__inst_executed.sum'),
        max(value) FILTER (WHERE metric = 'sm__inst_executed.sum')) AS instructions,
      max(value) FILTER (WHERE metric = 'smsp__issue_active.sum') AS issues,
      max(value) FILTER (WHERE metric = 'smsp__issue_active.sum.peak_sustained') AS schedulers,
      max(value) FILTER (WHERE metric IN ('dram__bytes_read.sum', 'dram__bytes_op_read.sum')) AS dram_read_bytes,
      max(value) FILTER (WHERE metric IN ('dram__bytes_write.sum', 'dram__bytes_op_write.sum')) AS dram_written_bytes,
      max(value) FILTER (WHERE metric = 'dram__bytes.sum.peak_sustained')
        * max(value) FILTER (WHERE metric = 'dram__cycles_elapsed.avg') AS most_dram_bytes,
      max(value) FILTER (WHERE metric = 'lts__t_bytes.sum') AS l2_bytes,
      coalesce(max(value) FILTER (WHERE metric = 'lts__t_sectors_lookup_hit.sum')
          / nullif(max(value) FILTER (WHERE metric = 'lts__t_sectors.sum'), 0),
        max(value) FILTER (WHERE metric = 'lts__t_sector_hit_rate.pct') / 100) AS l2_hit_share,
      coalesce(max(value) FILTER (WHERE metric = 'l1tex__t_sectors_lookup_hit.sum')
          / nullif(max(value) FILTER (WHERE metric = 'l1tex__t_sectors.sum'), 0),
        max(value) FILTER (WHERE metric = 'l1tex__t_sector_hit_rate.pct') / 100) AS l1_hit_share,
      max(value) FILTER (WHERE metric = 'l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum')
        + max(value) FILTER (WHERE metric = 'l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum') AS local_bytes,
      max(value) FILTER (WHERE metric = 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum')
        / nullif(max(value) FILTER (WHERE metric = 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum'), 0)
        AS sectors_per_load,
      max(value) FILTER (WHERE metric = 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum')
        / nullif(max(value) FILTER (WHERE metric = 'l1tex__data_pipe_lsu_wavefronts_mem_shared.sum'), 0)
        AS bank_conflict_share
    FROM counter_value WHERE doubt IS NULL GROUP BY counter_run_id, position)
SELECT aged.id AS counter_run_id, counted_launch.position, aged.device, aged.kind, aged.sms, aged.system, experiment,
  configuration.id AS configuration_id, configuration.name AS configuration, variant, parameters, problem, method,
  metric_set, counted_at, partial, age, kernel, grid_x * grid_y * grid_z AS grid, block_x * block_y * block_z AS block, count,
  time_ns, duration_ns, coalesce(gpc_cycles, sm_cycles) AS cycles,
  1000 * coalesce(sm_cycles, gpc_cycles) / nullif(duration_ns, 0) AS sm_clock_mhz, instructions,
  instructions / nullif(coalesce(sm_cycles, gpc_cycles) * aged.sms, 0) AS ipc,
  coalesce(warps / nullif(most_warps * active_cycles, 0), occupancy_percent / 100) AS occupancy,
  warps / nullif(most_warps * sm_cycles, 0) AS occupancy_elapsed,
  issues / nullif(schedulers * sm_cycles, 0) AS issue_share,
  (SELECT iif(count(value) = (SELECT count(*) FROM kind), sum(value), NULL) FROM counter_value CROSS JOIN kind
   WHERE counter_value.counter_run_id = aged.id AND counter_value.position = counted_launch.position AND doubt IS NULL
     AND metric = 'smsp__sass_thread_inst_executed_op_' || kind || '_pred_on.sum')
    / nullif(instructions, 0) AS threads_per_instruction,
  dram_read_bytes, dram_written_bytes, dram_read_bytes + dram_written_bytes AS dram_bytes, most_dram_bytes, l2_bytes,
  l2_hit_share, l1_hit_share, local_bytes, sectors_per_load, bank_conflict_share,
  CASE WHEN warps > most_warps * active_cycles THEN 'occupancy above 100 %'
    WHEN l2_hit_share > 1 THEN 'L2 hits above 100 %' WHEN l1_hit_share > 1 THEN 'L1 hits above 100 %'
    WHEN bank_conflict_share > 1 THEN 'bank conflicts above 100 %' END AS doubt
FROM counter_age AS aged
  JOIN counted_launch ON counted_launch.counter_run_id = aged.id
  JOIN configuration ON configuration.id = aged.configuration_id
  LEFT JOIN flat ON flat.counter_run_id = aged.id AND flat.position = counted_launch.position;
