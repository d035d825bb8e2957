#include "core/standing.h"

#include <algorithm>

#include "core/between_repetitions.h"

namespace tailwave {
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
  const std::vector<bool> not_shown_slower = tied_with_best(all, options);
  const double most = 1 + std::max(kTiedWithin, options.margin);
  const BootstrapOptions bootstrap{options.level, options.resamples, options.seed};
  for (std::size_t i = 0; i < all.size(); ++i) {
    BesideBest& one = compared[i];
    one.ratio = medians[i] == medians[best] ? 1 : medians[i] / medians[best];
    if (i == best) {
      one = {Standing::best, 1, Interval{1, 1}};
      continue;
    }
    const bool may_be_best = not_shown_slower[i] || one.ratio <= 1 + untold_share(all[i], all[best]);
    if (may_be_best || wanted[i]) one.interval = ratio_interval(all[i], all[best], bootstrap);
    const bool few = std::min(counts[i], counts[best]) < kFewestSamples;
    if (!may_be_best) {
      one.standing = Standing::slower;
    } else if (!few && one.interval->high <= most) {
      one.standing = Standing::tied;
    }
  }
  return compared;
}

}  // namespace tailwave
