#include "core/standing.h"

#include <algorithm>

namespace tailwave {
namespace {

// Which may be the best. What is slower by more than the wide margin is so by more than the other, so that both are asked
// for, which takes twice as long, only where some have one repetition and the best has several.
std::vector<bool> not_shown_slower(const std::vector<Series>& all, std::size_t best,
                                   const TieOptions& options) {
  TieOptions wide = options;
  wide.margin = std::max(options.margin, kBetweenRepetitions);
  if (std::ranges::none_of(all, has_one_repetition)) return tied_with_best(all, options);
  if (has_one_repetition(all[best])) return tied_with_best(all, wide);
  std::vector<bool> may_be_best = tied_with_best(all, options);
  const std::vector<bool> near = tied_with_best(all, wide);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (near[i] && has_one_repetition(all[i])) may_be_best[i] = true;
  return may_be_best;
}

}  // namespace

bool has_one_repetition(const Series& series) {
  return std::ranges::count_if(series.repetitions, [](const auto& one) { return !one.empty(); }) == 1;
}

std::vector<BesideBest> compare_with_best(const std::vector<Series>& all, const std::vector<bool>& wanted,
                                          const TieOptions& options) {
  std::vector<double> medians;
  std::vector<std::size_t> counts;
  for (const Series& series : all) {
    const std::vector<double> samples = samples_of(series);
    medians.push_back(median(samples));
    counts.push_back(samples.size());
  }
  std::vector<BesideBest> compared(all.size());
  const auto best =
      static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
  const std::vector<bool> may_be_best = not_shown_slower(all, best, options);
  const double most = 1 + std::max(kTiedWithin, options.margin);
  const BootstrapOptions bootstrap{options.level, options.resamples, options.seed};
  for (std::size_t i = 0; i < all.size(); ++i) {
    BesideBest& one = compared[i];
    one.ratio = medians[i] == medians[best] ? 1 : medians[i] / medians[best];
    if (i == best) {
      one = {Standing::best, 1, Interval{1, 1}};
      continue;
    }
    if (may_be_best[i] || wanted[i]) one.interval = ratio_interval(all[i], all[best], bootstrap);
    const bool few = std::min(counts[i], counts[best]) < kFewestSamples;
    if (!may_be_best[i]) {
      one.standing = Standing::slower;
    } else if (!few && one.interval->high <= most) {
      one.standing = Standing::tied;
    }
  }
  return compared;
}

}  // namespace tailwave
