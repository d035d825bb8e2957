#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/choose_over_sizes.h"

namespace tailwave::by_hand {

// Tries every choice of up to `keep` rows; none: none serves all sizes.
inline std::optional<double> least_over_sizes(std::span<const SizeRatios> table,
                                              const std::vector<double>& weights, std::size_t keep,
                                              SizesGoal goal, std::size_t next = 0,
                                              std::vector<std::size_t> chosen = {}) {
  std::optional<double> least;
  double sum = 0, total = 0, worst = 0;
  bool serves_all = !chosen.empty();
  for (std::size_t size = 0; size < weights.size(); ++size) {
    double best = kNotAtSize;
    for (const std::size_t row : chosen) best = std::min(best, table[row][size]);
    serves_all = serves_all && std::isfinite(best);
    sum += weights[size] * std::log(best);
    total += weights[size];
    worst = std::max(worst, best);
  }
  if (serves_all) least = goal == SizesGoal::worst_case ? worst : std::exp(sum / total);
  if (chosen.size() == keep) return least;
  chosen.push_back(0);
  for (std::size_t row = next; row < table.size(); ++row) {
    if (std::ranges::any_of(table[row], [](double one) { return std::isnan(one); })) continue;
    chosen.back() = row;
    const std::optional<double> with = least_over_sizes(table, weights, keep, goal, row + 1, chosen);
    if (with && (!least || *with < *least)) least = with;
  }
  return least;
}

}  // namespace tailwave::by_hand
