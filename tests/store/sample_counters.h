#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/counters.h"
#include "store/observation_store.h"
#include "store/sample_data.h"

namespace tailwave::samples {

// A launch of 10 us at 1.7 GHz on the 132 SMs of gpu(): half occupied, with 4 million instructions.
inline std::map<std::string, double> counted_values() {
  return {{"gpu__time_duration.sum", 10'000},
          {"gpc__cycles_elapsed.max", 17'100},
          {"sm__cycles_elapsed.avg", 17'000},
          {"sm__cycles_active.avg", 16'000},
          {"sm__warps_active.sum", 132.0 * 32 * 16'000},
          {"sm__warps_active.sum.peak_sustained", 132 * 64},
          {"smsp__inst_executed.sum", 4e6},
          {"smsp__issue_active.sum", 4e6},
          {"smsp__issue_active.sum.peak_sustained", 528},
          {"sm__inst_executed_pipe_fma.sum", 3e6},
          {"sm__inst_executed_pipe_fma.sum.peak_sustained", 528},
          {"dram__bytes_read.sum", 6e6},
          {"dram__bytes_write.sum", 3e6},
          {"dram__bytes.sum.peak_sustained", 1500},
          {"dram__cycles_elapsed.avg", 30'000},
          {"lts__t_bytes.sum", 2e7},
          {"lts__t_bytes.sum.peak_sustained", 5000},
          {"lts__cycles_elapsed.avg", 16'000},
          {"lts__t_sectors.sum", 625'000},
          {"lts__t_sectors_lookup_hit.sum", 500'000},
          {"l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum", 0},
          {"l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum", 0},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8000},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1000},
          {"smsp__warps_issue_stalled_long_scoreboard.sum", 3e7},
          {"smsp__warps_issue_stalled_wait.sum", 1.6e7},
          {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 2e6},
          {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 3e6},
          {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2e7},
          {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 132 * 128}};
}

// Of the sample trial of a variant.
inline CounterRun counted(const std::string& variant, const Values& parameters,
                          const std::map<std::string, double>& values,
                          const std::string& kernel = "body_force") {
  CounterRun run;
  run.configuration = trial(variant, parameters, {}).configuration;
  run.compiler = "NVRTC 13.0";
  run.chip = "GH100";
  run.passes = 5;
  run.time_ns = 9500;
  CountedLaunch& launch = run.launches.emplace_back();
  launch.kernel = kernel;
  launch.grid = {32, 1, 1};
  launch.block = {128, 1, 1};
  for (const auto& [metric, value] : values) launch.values.push_back(counter_value(metric, value, ""));
  return run;
}

inline std::int64_t add_counted(Database& database, const CounterRun& run, const std::string& at,
                                const std::string& experiment = "variants",
                                const DeviceDescription& device = gpu()) {
  return add_counters(database,
                      {.system = run.configuration.system,
                       .experiment = experiment,
                       .observed_at = at,
                       .driver = "13.0 (580.1)",
                       .commit = "abc1234"},
                      device, run);
}

}  // namespace tailwave::samples
