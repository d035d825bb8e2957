#include "search/nearest_costs.h"

#include <algorithm>
#include <cmath>

namespace tailwave::search {
void NearestCosts::add(std::span<const std::uint16_t> digits, double cost) {
  columns_.resize(digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) columns_[i].push_back(digits[i]);
  costs_.push_back(cost);
  if (std::isfinite(cost)) highest_ = std::max(highest_, cost);
}

double NearestCosts::predict(std::span<const std::uint16_t> digits, Nearest& nearest) {
  // Column by column, so that compilers use vectors.
  const std::size_t fresh = costs_.size() - nearest.seen;
  distances_.assign(fresh, 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::uint16_t* column = columns_[i].data() + nearest.seen;
    const std::uint16_t digit = digits[i];
    for (std::size_t row = 0; row < fresh; ++row)
      distances_[row] = static_cast<std::uint16_t>(distances_[row] + (column[row] != digit ? 1 : 0));
  }
  std::vector<Nearest::One>& ones = nearest.ones;
  for (std::size_t i = 0; i < fresh; ++i) {
    const std::uint16_t distance = distances_[i];
    if (ones.size() == neighbours_) {
      if (distance >= ones.back().distance) continue;
      ones.pop_back();
    }
    const auto place = std::find_if(ones.begin(), ones.end(),
                                    [&](const Nearest::One& one) { return one.distance > distance; });
    ones.insert(place, {distance, costs_[nearest.seen + i]});
  }
  nearest.seen = costs_.size();
  if (ones.empty()) return 0;
  double sum = 0;
  for (const Nearest::One& one : ones) sum += std::isfinite(one.cost) ? one.cost : highest_;
  return sum / static_cast<double>(ones.size());
}

}  // namespace tailwave::search
