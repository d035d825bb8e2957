#include <fmt/format.h>

#include <cmath>

#include "core/bootstrap.h"
#include "core/statistics.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr double kKernelUs = 20;
constexpr double kNominal = 0.05;  // what a 95 % interval leaves out
constexpr double kMostShare = 0.07;
constexpr int kEnoughPairs = 200;
constexpr double kFalseAlarm = 0.01;

}  // namespace

bool tells_apart(const std::vector<double>& first, const std::vector<double>& second, std::uint64_t seed) {
  const Interval ratio = ratio_interval({{first}}, {{second}}, {.seed = seed});
  return ratio.low > 1 || ratio.high < 1;
}

int allowed_apart(int pairs) {
  if (pairs >= kEnoughPairs) return static_cast<int>(std::floor(kMostShare * pairs));
  // P(exactly k of the pairs), from one k to the next.
  double probability = std::pow(1 - kNominal, pairs);
  double above = 1 - probability;
  int k = 0;
  while (above >= kFalseAlarm && k < pairs) {
    probability *= (pairs - k) / (k + 1.0) * kNominal / (1 - kNominal);
    above -= probability;
    ++k;
  }
  return k;
}

Check judge_pairs(int pairs, int apart, double median_us) {
  const int allowed = allowed_apart(pairs);
  return {.name = "same_kernel",
          .quantity = "pairs told apart though they are the same",
          .unit = "%",
          .expectation = fmt::format("at most {:g} %", 100.0 * allowed / pairs),
          .detail = fmt::format("{} of {} pairs of {} samples each, median {:.3f} us", apart, pairs,
                                kSelftestSamples, median_us),
          .value = 100.0 * apart / pairs,
          .passed = apart <= allowed};
}

std::vector<Check> check_same_kernel(Instrument& instrument, int pairs) {
  const Launch launch = instrument.work(kKernelUs);
  int apart = 0;
  std::vector<double> medians;
  for (int pair = 0; pair < pairs; ++pair) {
    std::vector<double> first, second;
    instrument.run(launch);
    for (int i = 0; i < kSelftestSamples; ++i) {
      // Each leads every other time, so that neither is always the one behind the other.
      for (std::vector<double>* side : {i % 2 == 0 ? &first : &second, i % 2 == 0 ? &second : &first}) {
        side->push_back(instrument.run(launch).time_ns / 1e3);
      }
    }
    apart += tells_apart(first, second, static_cast<std::uint64_t>(pair) + 1) ? 1 : 0;
    medians.push_back(median(first));
  }
  return {judge_pairs(pairs, apart, median(medians))};
}

}  // namespace tailwave
