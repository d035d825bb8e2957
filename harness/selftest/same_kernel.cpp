#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/bootstrap.h"
#include "core/random.h"
#include "core/statistics.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr double kKernelUs = 20;
constexpr double kNominal = 0.05;  // what a 95 % interval leaves out
constexpr double kMostShare = 0.07;
constexpr int kEnoughPairs = 200;
constexpr double kFalseAlarm = 0.01;
constexpr std::uint64_t kSeed = 1;

// Whose turn it is. In a regular order, what a device repeats every few launches could fall on one side.
std::vector<std::size_t> random_sides(Generator& random) {
  std::vector<std::size_t> sides(2 * static_cast<std::size_t>(kSelftestSamples));
  for (std::size_t i = 0; i < sides.size(); ++i) sides[i] = i % 2;
  shuffle(sides, random);
  return sides;
}

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
  Generator random(kSeed);
  int apart = 0;
  std::vector<double> medians;
  for (int pair = 0; pair < pairs; ++pair) {
    std::array<std::vector<double>, 2> times;
    instrument.run(launch);
    for (const std::size_t side : random_sides(random))
      times[side].push_back(instrument.run(launch).time_ns / 1e3);
    const auto& [first, second] = times;
    apart += tells_apart(first, second, static_cast<std::uint64_t>(pair) + 1) ? 1 : 0;
    medians.push_back(median(first));
  }
  return {judge_pairs(pairs, apart, median(medians))};
}

}  // namespace tailwave
