#include "core/between_repetitions.h"

#include <algorithm>

#include "core/statistics.h"

namespace tailwave {
namespace {

double scatter(const Series& series) {
  const std::vector<double> samples = samples_of(series);
  const double middle = median(samples);
  return middle > 0 ? (quantile(samples, 0.75) - quantile(samples, 0.25)) / middle : 0;
}

}  // namespace

bool has_one_repetition(const Series& series) {
  return std::ranges::count_if(series.repetitions, [](const auto& one) { return !one.empty(); }) == 1;
}

double untold_share(const Series& a, const Series& b) {
  double share = 0;
  for (const Series* series : {&a, &b})
    if (has_one_repetition(*series)) share = std::max({share, kBetweenRepetitions, scatter(*series)});
  return share;
}

}  // namespace tailwave
