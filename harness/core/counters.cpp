#include "core/counters.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace tailwave {
namespace {

constexpr bool kQuick = true;

constexpr std::array kCounterMetrics{
    CounterMetric{"gpu__time_duration.sum", "ns", "time of the launch while it was counted", kQuick},
    CounterMetric{"gpc__cycles_elapsed.max", "cycle", "cycles that the launch took", kQuick},
    CounterMetric{"sm__cycles_elapsed.avg", "cycle", "the same, of an SM", kQuick},
    CounterMetric{"sm__cycles_active.avg", "cycle", "cycles in which an SM had a warp", kQuick},
    CounterMetric{"sm__warps_active.sum", "warp cycle", "warps on the SMs, over all cycles", kQuick},
    CounterMetric{"sm__warps_active.sum.peak_sustained", "warp", "warps that all SMs can hold", kQuick},
    CounterMetric{"smsp__inst_executed.sum", "inst", "instructions that warps executed", kQuick},
    CounterMetric{"smsp__issue_active.sum", "cycle", "cycles in which a scheduler issued", kQuick},
    CounterMetric{"smsp__issue_active.sum.peak_sustained", "", "schedulers", kQuick},
    // Pipes.
    CounterMetric{"sm__inst_executed_pipe_fma.sum", "inst", "FP32 and integer multiplications and additions",
                  kQuick},
    CounterMetric{"sm__inst_executed_pipe_fma.sum.peak_sustained", "inst/cycle", "at most", kQuick},
    CounterMetric{"sm__inst_executed_pipe_alu.sum", "inst", "other integer, logic and comparisons", kQuick},
    CounterMetric{"sm__inst_executed_pipe_alu.sum.peak_sustained", "inst/cycle", "at most", kQuick},
    CounterMetric{"sm__inst_executed_pipe_fp64.sum", "inst", "FP64", kQuick},
    CounterMetric{"sm__inst_executed_pipe_fp64.sum.peak_sustained", "inst/cycle", "at most", kQuick},
    CounterMetric{"sm__inst_executed_pipe_xu.sum", "inst", "sines, roots, reciprocals, conversions", kQuick},
    CounterMetric{"sm__inst_executed_pipe_xu.sum.peak_sustained", "inst/cycle", "at most", kQuick},
    CounterMetric{"sm__pipe_tensor_cycles_active.sum", "cycle", "cycles in which tensor cores worked",
                  kQuick},
    CounterMetric{"sm__pipe_tensor_cycles_active.sum.peak_sustained", "", "at most, a cycle", kQuick},
    // Memory.
    CounterMetric{"dram__bytes_read.sum", "byte", "read from DRAM", kQuick},
    CounterMetric{"dram__bytes_op_read.sum", "byte", "read from DRAM", kQuick, "dram__bytes_read.sum"},
    CounterMetric{"dram__bytes_write.sum", "byte", "written to DRAM", kQuick},
    CounterMetric{"dram__bytes_op_write.sum", "byte", "written to DRAM", kQuick, "dram__bytes_write.sum"},
    CounterMetric{"dram__bytes.sum.peak_sustained", "byte/cycle", "at most", kQuick},
    CounterMetric{"dram__cycles_elapsed.avg", "cycle", "cycles of DRAM", kQuick},
    CounterMetric{"lts__t_bytes.sum", "byte", "to and from L2", kQuick},
    CounterMetric{"lts__t_bytes.sum.peak_sustained", "byte/cycle", "at most", kQuick},
    CounterMetric{"lts__cycles_elapsed.avg", "cycle", "cycles of L2", kQuick},
    CounterMetric{"lts__t_sectors.sum", "sector", "looked up in L2", kQuick},
    CounterMetric{"lts__t_sectors_lookup_hit.sum", "sector", "found in L2", kQuick},
    CounterMetric{"l1tex__t_sectors.sum", "sector", "looked up in L1", kQuick},
    CounterMetric{"l1tex__t_sectors_lookup_hit.sum", "sector", "found in L1", kQuick},
    CounterMetric{"l1tex__data_pipe_lsu_wavefronts.sum", "wavefront",
                  "turns of the data pipe of L1 and shared memory", kQuick},
    CounterMetric{"l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained", "wavefront/cycle", "at most", kQuick},
    CounterMetric{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront", "of them for shared memory",
                  kQuick},
    CounterMetric{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "wavefront",
                  "of these for bank conflicts", kQuick},
    CounterMetric{"l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum", "byte", "read from local memory", kQuick},
    CounterMetric{"l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum", "byte", "written to local memory", kQuick},
    CounterMetric{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",
                  "that loads of global memory touch"},
    CounterMetric{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",
                  "loads of global memory, by warps"},
    // Why warps could not issue, over all cycles: with those that did, these are all of sm__warps_active.
    CounterMetric{"smsp__warps_issue_stalled_long_scoreboard.sum", "warp cycle",
                  "waiting for L1, L2 or DRAM"},
    CounterMetric{"smsp__warps_issue_stalled_wait.sum", "warp cycle",
                  "waiting for an instruction of fixed latency"},
    CounterMetric{"smsp__warps_issue_stalled_short_scoreboard.sum", "warp cycle",
                  "waiting for shared memory or a special function"},
    CounterMetric{"smsp__warps_issue_stalled_math_pipe_throttle.sum", "warp cycle",
                  "waiting for a busy math pipe"},
    CounterMetric{"smsp__warps_issue_stalled_barrier.sum", "warp cycle", "waiting at a barrier of the block"},
    CounterMetric{"smsp__warps_issue_stalled_lg_throttle.sum", "warp cycle",
                  "waiting for room in the queue of global and local memory"},
    CounterMetric{"smsp__warps_issue_stalled_mio_throttle.sum", "warp cycle",
                  "waiting for room in the queue of shared memory and special functions"},
    CounterMetric{"smsp__warps_issue_stalled_not_selected.sum", "warp cycle",
                  "ready, while the scheduler issued another warp"},
    CounterMetric{"smsp__warps_issue_stalled_no_instruction.sum", "warp cycle",
                  "waiting for the instruction cache or a jump"},
    CounterMetric{"smsp__warps_issue_stalled_branch_resolving.sum", "warp cycle",
                  "waiting for the target of a branch"},
    CounterMetric{"smsp__warps_issue_stalled_membar.sum", "warp cycle", "waiting at a memory fence"},
    CounterMetric{"smsp__warps_issue_stalled_drain.sum", "warp cycle", "at its end, waiting for its stores"},
    CounterMetric{"smsp__warps_issue_stalled_tex_throttle.sum", "warp cycle",
                  "waiting for room in the queue of the texture unit"},
    CounterMetric{"smsp__warps_issue_stalled_dispatch_stall.sum", "warp cycle",
                  "held back by the dispatcher"},
    CounterMetric{"smsp__warps_issue_stalled_imc_miss.sum", "warp cycle", "waiting for the constant cache"},
    CounterMetric{"smsp__warps_issue_stalled_gmma.sum", "warp cycle",
                  "waiting for a matrix product of a warp group"},
    CounterMetric{"smsp__warps_issue_stalled_sleeping.sum", "warp cycle", "asleep by nanosleep"},
    CounterMetric{"smsp__warps_issue_stalled_misc.sum", "warp cycle", "others"},
    // Instructions of threads, without those that a predicate turned off.
    CounterMetric{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "FP32 additions"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", "FP32 multiplications"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst",
                  "FP32 multiplications with addition"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "inst", "FP64 additions"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst", "FP64 multiplications"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "inst",
                  "FP64 multiplications with addition"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "inst",
                  "FP16 additions, of two at once"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "inst",
                  "FP16 multiplications, of two at once"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "inst",
                  "FP16 multiplications with addition, of two at once"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "inst", "all of FP32"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "inst", "all of FP64"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_fp16_pred_on.sum", "inst", "all of FP16"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "inst", "integer"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_bit_pred_on.sum", "inst", "bits"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "inst", "conversions"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_control_pred_on.sum", "inst",
                  "control: branches, barriers"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_memory_pred_on.sum", "inst",
                  "loads, stores and atomics"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum", "inst",
                  "shuffles and votes"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_uniform_pred_on.sum", "inst", "of the uniform path"},
    CounterMetric{"smsp__sass_thread_inst_executed_op_misc_pred_on.sum", "inst", "others"},
    CounterMetric{"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", "inst/cycle",
                  "at most, of FP32"},
    CounterMetric{"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained", "inst/cycle",
                  "at most, of FP64"},
    CounterMetric{"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", "inst/cycle",
                  "at most, of FP16"},
};

// Of something that cannot be more than all of it; other ratios have a ".pct", too.
bool is_share(std::string_view metric) {
  return metric.find(".pct_of_peak") != std::string_view::npos || metric.ends_with("_hit_rate.pct");
}

}  // namespace

std::span<const CounterMetric> counter_metrics() {
  return kCounterMetrics;
}

std::vector<std::string> metrics_of(CounterSet set) {
  std::vector<std::string> names;
  for (const CounterMetric& metric : kCounterMetrics)
    if (metric.instead_of.empty() && (set != CounterSet::quick || metric.quick))
      names.emplace_back(metric.name);
  return names;
}

std::string stand_in_for(std::string_view metric) {
  const auto* const found = std::ranges::find_if(kCounterMetrics, [&](const CounterMetric& one) {
    return !one.instead_of.empty() && one.instead_of == metric;
  });
  return found == kCounterMetrics.end() ? "" : std::string(found->name);
}

bool is_counter_name(std::string_view name) {
  const std::size_t unit = name.find("__"), dot = name.find('.');
  return unit != std::string_view::npos && unit > 0 && dot != std::string_view::npos && dot > unit + 2 &&
         !name.ends_with('.') && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                  c == '.';
         });
}

std::vector<std::string> parse_metrics(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(", ", begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
    if (!is_counter_name(name))
      throw Error(Diagnostic{
          .place = "--metrics",
          .cause = "'" + name + "' is no metric",
          .hint = "a metric is called like sm__cycles_active.avg, with what is wanted of the counter "
                  "behind the dot; 'ncu --query-metrics' lists them"});
    names.push_back(name);
  }
  if (names.empty())
    throw Error(Diagnostic{.place = "--metrics",
                           .cause = "names no metric",
                           .hint = "for example sm__throughput.avg.pct_of_peak_sustained_elapsed"});
  return names;
}

bool adds_up(std::string_view metric) {
  return metric.ends_with(".sum") || metric.ends_with("cycles_elapsed.avg") ||
         metric.ends_with("cycles_elapsed.max") || metric.ends_with("cycles_active.avg");
}

std::string counter_doubt(std::string_view metric, double value) {
  constexpr double kMostPercent = 100, kMostCount = 0x1p64;
  if (!std::isfinite(value)) return "not a number";
  if (value < 0) return "negative";
  if (is_share(metric) && value > kMostPercent) return "above 100 %";
  if (value >= kMostCount) return "more than a counter can hold";
  return "";
}

CounterValue counter_value(std::string metric, double value, std::string unit) {
  std::string doubt = counter_doubt(metric, value);
  const std::optional<double> known = std::isfinite(value) ? std::optional(value) : std::nullopt;
  return {std::move(metric), known, std::move(unit), std::move(doubt)};
}

}  // namespace tailwave
