#include "judge/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "core/bootstrap.h"
#include "core/outcome.h"
#include "core/statistics.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson of_values(const Values& values) {
  OrderedJson object = OrderedJson::object();
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& held) { object[key] = held; }, value);
  return object;
}

// JSON has no number that is not finite.
OrderedJson of_number(double number) {
  return std::isfinite(number) ? OrderedJson(number) : OrderedJson(nullptr);
}

Series series_of(const Trial& trial) {
  Series series;
  for (const Sample& sample : trial.samples) {
    if (!sample.dropped.empty()) continue;
    const auto repetition = static_cast<std::size_t>(sample.repetition);
    if (series.repetitions.size() <= repetition) series.repetitions.resize(repetition + 1);
    series.repetitions[repetition].push_back(sample.time_ns);
  }
  return series;
}

bool is_timed(const Trial& trial) {
  return trial.outcome == Outcome::correct && !counted_times_ns(trial.samples).empty();
}

OrderedJson of_time(const Trial& trial) {
  if (!is_timed(trial)) return nullptr;
  const std::vector<double> times_ns = counted_times_ns(trial.samples);
  const Interval interval = median_interval(times_ns);
  return {{"median", median_ns(trial)},    {"low", interval.low}, {"high", interval.high},
          {"samples", times_ns.size()},    {"mode", trial.mode},  {"timer", trial.timer},
          {"stopped_by", trial.stopped_by}};
}

OrderedJson of_baseline(const std::shared_ptr<const Trial>& baseline) {
  if (!baseline) return nullptr;
  OrderedJson object{{"variant", baseline->configuration.variant},
                     {"parameters", of_values(baseline->configuration.parameters)},
                     {"outcome", to_string(baseline->outcome)},
                     {"time_ns", of_time(*baseline)}};
  if (!baseline->detail.empty()) object["detail"] = baseline->detail;
  return object;
}

OrderedJson of_speedup(const Trial& trial, const std::shared_ptr<const Trial>& baseline) {
  if (!baseline || !is_timed(trial) || !is_timed(*baseline)) return nullptr;
  const Interval interval = ratio_interval(series_of(*baseline), series_of(trial));
  return {{"ratio", of_number(median_ns(*baseline) / median_ns(trial))},
          {"low", of_number(interval.low)},
          {"high", of_number(interval.high)}};
}

// The tightest.
OrderedJson of_limit(const Trial& trial) {
  if (trial.limits.empty()) return nullptr;
  const LimitRecord& limit = *std::ranges::max_element(trial.limits, {}, &LimitRecord::time_ns);
  OrderedJson object{{"name", limit.name}, {"time_ns", limit.time_ns}, {"share", nullptr}};
  if (is_timed(trial)) object["share"] = of_number(limit.time_ns / median_ns(trial));
  return object;
}

// The worst of a buffer's comparisons: one that failed, else the largest error.
bool is_worse(const Verification& one, const Verification& other) {
  if (one.passed != other.passed) return !one.passed;
  return !(one.error <= other.error);
}

OrderedJson of_buffer(const std::string& buffer, const std::vector<Verification>& all) {
  const Verification* worst = nullptr;
  OrderedJson phases = OrderedJson::array();
  std::set<std::string> seen;
  for (const Verification& one : all) {
    if (one.buffer != buffer) continue;
    if (worst == nullptr || is_worse(one, *worst)) worst = &one;
    if (seen.insert(one.phase).second) phases.push_back(one.phase);
  }
  OrderedJson object{{"buffer", buffer},
                     {"norm", worst->norm},
                     {"tolerance", of_number(worst->tolerance)},
                     {"worst_error", of_number(worst->error)},
                     {"passed", worst->passed},
                     {"phases", phases}};
  if (!worst->detail.empty()) object["detail"] = worst->detail;
  return object;
}

// Of its own problem: one before it is timed, another one while it is, however often, and others after that.
std::size_t draws_of(const std::vector<Verification>& all) {
  std::map<std::string, std::size_t> looks;  // by phase
  for (const Verification& one : all)
    if (one.other_problem.empty() && one.buffer == all.front().buffer) ++looks[one.phase];
  constexpr std::size_t kOne = 1;
  return std::min(looks["before"], kOne) + std::min(looks["while"], kOne) + looks["after"];
}

OrderedJson of_checks(const Trial& trial, const OrderedJson& session) {
  OrderedJson buffers = OrderedJson::array();
  std::set<std::string> names;
  for (const Verification& one : trial.verifications)
    if (names.insert(one.buffer).second) buffers.push_back(of_buffer(one.buffer, trial.verifications));
  std::set<std::string> problems;
  for (const Verification& one : trial.verifications)
    if (!one.other_problem.empty()) problems.insert(one.other_problem);
  OrderedJson object{
      {"buffers", buffers}, {"draws", draws_of(trial.verifications)}, {"other_problems", problems}};
  object.update(session);
  return object;
}

OrderedJson of_dimensions(const Dim3& size) {
  return {size.x, size.y, size.z};
}

OrderedJson of_kernel(const LaunchRecord& launch) {
  OrderedJson object{{"kernel", launch.kernel},
                     {"grid", of_dimensions(launch.grid)},
                     {"block", of_dimensions(launch.block)},
                     {"launches", launch.count},
                     {"dynamic_shared_bytes", launch.dynamic_shared_bytes}};
  if (launch.resources) {
    object["registers"] = launch.resources->registers;
    object["spill_bytes"] = launch.resources->spill_bytes;
    object["stack_bytes"] = launch.resources->stack_bytes;
    object["static_shared_bytes"] = launch.resources->static_shared_bytes;
  }
  if (launch.occupancy) {
    object["blocks_per_sm"] = launch.occupancy->blocks_per_sm;
    object["limiter"] = launch.occupancy->limiter;
  }
  if (launch.waves) object["waves"] = launch.waves->waves;
  return object;
}

OrderedJson of_build(const Trial& trial) {
  if (!trial.build) return nullptr;
  return {{"compiler", trial.build->compiler}, {"target", trial.build->target},
          {"options", trial.build->options},   {"code_hash", trial.build->code_hash},
          {"seconds", trial.build->seconds},   {"from_cache", trial.build->from_cache}};
}

}  // namespace

OrderedJson verdict_json(const JudgedCandidate& judgement, const DeviceDescription& device,
                         const OrderedJson& session) {
  const Trial& trial = judgement.trial;
  const Configuration& configuration = trial.configuration;
  const bool failed_to_build = !trial.build;
  OrderedJson kernels = OrderedJson::array();
  for (const LaunchRecord& launch : trial.launches) kernels.push_back(of_kernel(launch));
  return {{"outcome", to_string(trial.outcome)},
          {"detail", trial.detail},
          {"unverified", trial.unverified},
          {"kernel_output", trial.kernel_output},
          {"candidate", judgement.request.name},
          {"system", configuration.system},
          {"variant", configuration.variant},
          {"parameters", of_values(configuration.parameters)},
          {"problem", of_values(configuration.problem)},
          {"device", {{"name", device.name}, {"kind", to_string(device.kind)}}},
          {"time_ns", of_time(trial)},
          {"speedup", of_speedup(trial, judgement.baseline)},
          {"baseline", of_baseline(judgement.baseline)},
          {"limit", of_limit(trial)},
          {"work", of_values(trial.work)},
          {"checked", of_checks(trial, session)},
          {"kernels", kernels},
          {"build", of_build(trial)},
          {"compiler_log", failed_to_build ? trial.detail : trial.build->log},
          {"reused", judgement.reused},
          {"seconds", judgement.seconds}};
}

}  // namespace tailwave
