#include "selftest/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "core/outcome.h"

namespace tailwave {

std::vector<Check> run_selftest(Executor& executor, const Artifact& kernels, const SelftestSettings& settings,
                                const std::string& device_argument) {
  const std::vector<std::pair<std::string, std::function<std::vector<Check>(Instrument&)>>> all{
      {"known_duration", check_known_duration},
      {"same_kernel", [&](Instrument& on) { return check_same_kernel(on, settings.pairs); }},
      {"cache_flush", check_cache_flush},
      {"empty_kernel", check_empty_kernel},
      {"ncu", [&](Instrument& on) { return check_ncu(on, device_argument); }},
      {"clock_step", check_clock_step}};
  std::vector<Check> checks;
  for (const auto& [name, check] : all) {
    try {
      // After a failure programs and buffers are dead, so each has its own.
      Instrument instrument(executor, kernels);
      std::ranges::move(check(instrument), std::back_inserter(checks));
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
  const auto unless_empty = [](const std::string& text) { return text.empty() ? Cell{} : Cell{text}; };
  for (const Check& check : checks) {
    const Cell value = check.value ? Cell{*check.value} : Cell{};
    const Cell verdict = check.passed ? Cell{std::string(*check.passed ? "pass" : "FAIL")} : Cell{};
    table.rows.push_back({check.name, check.quantity, value, unless_empty(check.unit),
                          unless_empty(check.expectation), verdict, unless_empty(check.detail)});
  }
  return table;
}

}  // namespace tailwave
