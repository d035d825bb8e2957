#include "selftest/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "core/outcome.h"
#include "device/packing.h"

namespace tailwave {
namespace {

constexpr const char* kCheck = "selftest";
constexpr const char* kNcu = "ncu";

struct Call {
  Instrument& on;
  const SelftestSettings& settings;
  const Profile& theirs;  // of Nsight Compute
};

struct Selftest {
  const char* name;
  std::vector<Check> (*check)(const Call& call);
};
constexpr Selftest kSelftests[] = {
    {"known_duration", [](const Call& call) { return check_known_duration(call.on); }},
    {"same_kernel", [](const Call& call) { return check_same_kernel(call.on, call.settings.pairs); }},
    {"cache_flush", [](const Call& call) { return check_cache_flush(call.on); }},
    {"empty_kernel", [](const Call& call) { return check_empty_kernel(call.on); }},
    {kNcu, [](const Call& call) { return check_ncu(call.on, call.theirs); }},
    {"clock_step", [](const Call& call) { return check_clock_step(call.on); }}};

std::vector<Check> check(const std::string& name, Instrument& on, const SelftestSettings& settings,
                         const Profile& theirs) {
  for (const Selftest& one : kSelftests)
    if (one.name == name) return one.check({on, settings, theirs});
  throw std::logic_error("no self-test " + name);
}

}  // namespace

Tasks selftest_tasks() {
  constexpr double kLongestS = 900;
  Tasks tasks;
  tasks[kCheck] = [](DeviceData& data, Watch& watch, Packet& request, Packet& answer) {
    const Watch::Scope watched(watch, Watch::Doing::host_work, kLongestS);
    const auto name = take<std::string>(request);
    Instrument instrument(data.device(), take<Artifact>(request));
    const SelftestSettings settings{.pairs = take<int>(request)};
    answer << check(name, instrument, settings, take<Profile>(request));
  };
  return tasks;
}

std::vector<Check> run_selftest(Worker& worker, const Artifact& kernels, const SelftestSettings& settings,
                                const std::string& device_argument) {
  std::vector<Check> checks;
  for (const Selftest& one : kSelftests) {
    const std::string name = one.name;
    const Profile theirs = name == kNcu ? profile_with_ncu(worker.description(), device_argument) : Profile{};
    Packet request;
    request << name << kernels << settings.pairs << theirs;
    try {
      Packet answer = worker.call(kCheck, request);
      std::ranges::move(take<std::vector<Check>>(answer), std::back_inserter(checks));
    } catch (const Failure& failure) {
      checks.push_back({.name = name,
                        .quantity = "outcome",
                        .expectation = "runs",
                        .detail = fmt::format("{}: {}", to_string(failure.outcome()), failure.what()),
                        .passed = false});
    }
  }
  return checks;
}

bool all_passed(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.passed == std::optional(false); });
}

Table selftest_table(const std::vector<Check>& checks) {
  Table table{{"check", "quantity", "value", "unit", "expectation", "verdict", "detail"}, {}};
  for (const Check& check : checks) {
    const Cell verdict = check.passed ? Cell{std::string(*check.passed ? "pass" : "FAIL")} : Cell{};
    table.rows.push_back({check.name, check.quantity, cell_of(check.value), cell_of(check.unit),
                          cell_of(check.expectation), verdict, cell_of(check.detail)});
  }
  return table;
}

}  // namespace tailwave
