#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr double kWorkUs = 10'000;
constexpr auto kWorkTime = std::chrono::milliseconds(500);

Check informing(const std::string& quantity, const std::string& unit) {
  return {.name = "clock_step", .quantity = quantity, .unit = unit};
}

}  // namespace

std::vector<Check> judge_clocks(const std::optional<double>& before_mhz,
                                const std::vector<double>& during_mhz) {
  Check before = informing("SM clock before", "MHz"), start = informing("SM clock at the start", "MHz"),
        end = informing("SM clock at the end", "MHz"), change = informing("highest change", "%");
  if (!before_mhz || during_mhz.empty()) {
    change.detail = "the device does not tell its clock";
    return {change};
  }
  before.value = before_mhz;
  start.value = during_mhz.front();
  end.value = during_mhz.back();
  const auto [least, most] = std::minmax_element(during_mhz.begin(), during_mhz.end());
  const double low = std::min(*before_mhz, *least), high = std::max(*before_mhz, *most);
  change.value = 100 * (high - low) / low;
  change.detail = fmt::format("{:.0f} to {:.0f} MHz in {} runs", low, high, during_mhz.size());
  return {before, start, end, change};
}

std::vector<Check> check_clock_step(Instrument& instrument) {
  using Clock = std::chrono::steady_clock;
  instrument.run(Instrument::empty());
  const std::optional<double> before = instrument.run(Instrument::empty()).sm_clock_mhz;
  if (!before) return judge_clocks(before, {});
  const Launch launch = instrument.work(kWorkUs);
  std::vector<double> during;
  for (const auto start = Clock::now(); Clock::now() - start < kWorkTime;) {
    const std::optional<double> clock = instrument.run(launch).sm_clock_mhz;
    if (clock) during.push_back(*clock);
  }
  return judge_clocks(before, during);
}

}  // namespace tailwave
