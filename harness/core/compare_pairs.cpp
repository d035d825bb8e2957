#include "core/compare_pairs.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/between_repetitions.h"
#include "core/resampler.h"

namespace tailwave {
namespace {

double divide_medians(double first, double second) {
  return first == second ? 1 : first / second;
}

// A pair that one direction of change is tested for.
struct Suspect {
  const Series *low, *high;
  std::size_t place;
  bool slower;
  double p;  // at least
};

// The smallest that a permutation test of so few values could give, two-sided: 2 / (first + second choose first).
double least_p(std::size_t first, std::size_t second) {
  const auto n = static_cast<double>(first), m = static_cast<double>(second);
  return 2 * std::exp(std::lgamma(n + 1) + std::lgamma(m + 1) - std::lgamma(n + m + 1));
}

// Twice the share of resamples that do not have the change, itself counted; 1 for all above `most`.
double two_sided_p(const Suspect& suspect, const TieOptions& options, std::size_t resamples, double most) {
  const auto possible = static_cast<double>(resamples + 1);
  Resampler low(*suspect.low, options.seed), high(*suspect.high, options.seed + 1);
  // Medians stay within the range of the samples: no resample can say otherwise.
  if (high.order().front() > (1 + options.margin) * low.order().back()) return 2 / possible;
  double against = 1;
  for (std::size_t i = 0; i < resamples; ++i) {
    if (high.next() <= (1 + options.margin) * low.next()) ++against;
    if (2 * against > most * possible) return 1;
  }
  return 2 * against / possible;
}

// Holm's procedure: the changes that are shown.
void accept_changes(std::vector<Suspect> suspects, std::size_t hypotheses, double error,
                    std::vector<RatioVerdict>& verdicts) {
  std::sort(suspects.begin(), suspects.end(), [](const Suspect& a, const Suspect& b) { return a.p < b.p; });
  for (std::size_t shown = 0; shown < suspects.size(); ++shown) {
    if (suspects[shown].p * static_cast<double>(hypotheses - shown) > error) return;
    verdicts[suspects[shown].place].change = suspects[shown].slower ? Change::slower : Change::faster;
  }
}

}  // namespace

std::vector<RatioVerdict> compare_pairs(const std::vector<SeriesPair>& pairs, const TieOptions& options) {
  if (!std::isfinite(options.margin) || options.margin < 0)
    throw std::invalid_argument("the margin must be 0 or more");
  std::vector<RatioVerdict> verdicts;
  std::vector<Suspect> suspects;
  std::size_t hypotheses = 0;
  for (const SeriesPair& pair : pairs) {
    RatioVerdict& verdict = verdicts.emplace_back();
    // First of all, since it checks the samples.
    verdict.interval =
        ratio_interval(pair.second, pair.first, {options.level, options.resamples, options.seed});
    const Resampler first(pair.first, options.seed), second(pair.second, options.seed);
    verdict.ratio = divide_medians(median(second.order()), median(first.order()));
    if (std::min(first.order().size(), second.order().size()) < kFewestSamples) continue;
    verdict.tested = true;
    ++hypotheses;
    const double most = 1 + options.margin;
    if (verdict.interval.low >= 1 / most && verdict.interval.high <= most) verdict.change = Change::same;
    const double floor = least_p(first.units(), second.units());
    const double told = std::max(most, 1 + untold_share(pair.first, pair.second));
    if (verdict.ratio > told)
      suspects.push_back({&pair.first, &pair.second, verdicts.size() - 1, true, floor});
    else if (verdict.ratio < 1 / told)
      suspects.push_back({&pair.second, &pair.first, verdicts.size() - 1, false, floor});
  }
  const double error = 1 - options.level;
  const auto resamples =
      std::max(static_cast<std::size_t>(options.resamples),
               static_cast<std::size_t>(std::ceil(2 * static_cast<double>(hypotheses) / error)));
  for (Suspect& suspect : suspects)
    suspect.p = std::max(suspect.p, two_sided_p(suspect, options, resamples, error));
  accept_changes(std::move(suspects), hypotheses, error, verdicts);
  return verdicts;
}

}  // namespace tailwave
