#include "search/prior.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/statistics.h"
#include "search/strategy.h"

namespace tailwave {
PriorCosts::PriorCosts(Costs costs) {
  std::ranges::stable_sort(costs, {}, &std::pair<Point, double>::second);
  const double whole = std::log1p(static_cast<double>(costs.size()));
  const auto rank_of = [&](double place) { return static_cast<float>(std::log1p(place) / whole); };
  unknown_ = rank_of(static_cast<double>(costs.size()) / 2);
  double place = 0;  // of equal costs that of the first, so that failures are all alike
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (i > 0 && costs[i].second != costs[i - 1].second) place = static_cast<double>(i);
    ranks_.emplace(costs[i].first, rank_of(place));
    if (costs[i].second < kFailed) best_first_.push_back(costs[i].first);
  }
}

PriorCosts PriorCosts::of(const std::vector<Costs>& places) {
  struct Sum {
    double ranks = 0;
    std::size_t count = 0, failed = 0;
  };
  std::map<Point, Sum> sums;
  for (const Costs& costs : places) {
    const PriorCosts place(costs);
    for (const auto& [point, cost] : costs) {
      Sum& sum = sums[point];
      sum.ranks += static_cast<double>(place.rank(point));
      ++sum.count;
      sum.failed += cost < kFailed ? 0 : 1;
    }
  }
  Costs means;
  for (const auto& [point, sum] : sums)
    means.emplace_back(point,
                       2 * sum.failed > sum.count ? kFailed : sum.ranks / static_cast<double>(sum.count));
  return PriorCosts(std::move(means));
}

float PriorCosts::rank(Point point) const {
  const auto found = ranks_.find(point);
  return found == ranks_.end() ? unknown_ : found->second;
}

void PriorTrust::tell(Point point, double cost) {
  if (prior_ != nullptr && prior_->has(point)) told_.emplace_back(prior_->rank(point), cost);
}

bool PriorTrust::changes() {
  constexpr double kGrowth = 1.2, kTimesChance = 3;
  if (told_.size() < look_at_) return false;
  look_at_ = static_cast<std::size_t>(std::ceil(kGrowth * static_cast<double>(told_.size())));
  std::vector<double> there, here;
  for (const auto& [rank, cost] : told_) {
    there.push_back(rank);
    here.push_back(cost);
  }
  const double found = std::abs(rank_correlation(there, here));  // NaN: all are the same
  const bool before = trusted_;
  trusted_ = found * std::sqrt(static_cast<double>(told_.size() - 1)) >= kTimesChance;
  return trusted_ != before;
}

}  // namespace tailwave
