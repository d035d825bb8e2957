#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/statistics.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr std::array<double, 8> kDurationsUs{2, 5, 10, 20, 50, 100, 1000, 10000};
constexpr int kWarmUpRuns = 3;

// A wait ends at a step of the timer, so that one step is the least that can be asked for.
double limit_us(double requested_us, double timer_step_us) {
  constexpr double kShare = 0.01, kLeastUs = 0.5;
  return std::max({kShare * requested_us, kLeastUs, timer_step_us});
}

}  // namespace

std::vector<Check> judge_durations(const std::vector<KnownDuration>& all, double timer_step_us) {
  std::vector<Check> checks{
      {.name = "known_duration", .quantity = "step of the timer", .unit = "us", .value = timer_step_us}};
  for (const auto& [requested_us, median_us, floor_us] : all) {
    const double raw_us = median_us - requested_us;
    const double limit = limit_us(requested_us, timer_step_us);
    const std::string made_of = fmt::format("median {:.3f} us, floor {:.3f} us", median_us, floor_us);
    checks.push_back({.name = "known_duration",
                      .quantity = fmt::format("{:g} us: raw error", requested_us),
                      .unit = "us",
                      .detail = made_of,
                      .value = raw_us});
    checks.push_back({.name = "known_duration",
                      .quantity = fmt::format("{:g} us: floor-corrected error", requested_us),
                      .unit = "us",
                      .expectation = fmt::format("within {:g} us", limit),
                      .detail = made_of,
                      .value = raw_us - floor_us,
                      .passed = std::abs(raw_us - floor_us) <= limit});
  }
  return checks;
}

std::vector<Check> check_known_duration(Instrument& instrument) {
  const double step_us = instrument.timer_step_us();
  std::vector<KnownDuration> all;
  for (const double us : kDurationsUs) {
    // In turns, so that floor and duration are measured with the device in the same state.
    std::vector<double> floors, times;
    for (int i = 0; i < kWarmUpRuns + kSelftestSamples; ++i) {
      const double floor_ns = instrument.run(Instrument::empty()).time_ns;
      const double time_ns = instrument.run(Instrument::spin(us)).time_ns;
      if (i < kWarmUpRuns) continue;
      floors.push_back(floor_ns / 1e3);
      times.push_back(time_ns / 1e3);
    }
    all.push_back({us, median(times), median(floors)});
  }
  return judge_durations(all, step_us);
}

}  // namespace tailwave
