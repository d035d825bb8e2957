#include "search/remaining.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tailwave::search {

Remaining::Remaining(const SearchProblem& problem)
    : points_(problem.space->size()), places_(problem.space->size()) {
  std::iota(points_.begin(), points_.end(), Point{0});
  std::iota(places_.begin(), places_.end(), Point{0});
  if (problem.knowledge == nullptr) return;
  for (Point point = 0; point < places_.size(); ++point)
    if (problem.knowledge->is_impossible(point)) take(point);
}

void Remaining::take(Point point) {
  const Point place = places_[point];
  if (place >= points_.size()) return;
  points_[place] = points_.back();
  places_[points_[place]] = place;
  points_.pop_back();
  places_[point] = std::numeric_limits<Point>::max();
}

Point Remaining::any(Generator& random) const {
  return points_[random.below(static_cast<Point>(points_.size()))];
}

bool CostScale::fit(std::vector<double> costs, double good_share) {
  std::erase(costs, kFailed);
  if (costs.empty()) return false;
  std::ranges::sort(costs);
  const auto good = static_cast<std::size_t>(good_share * static_cast<double>(costs.size()));
  lowest_ = costs.front();
  bad_ = costs[std::min(good, costs.size() - 1)];
  return true;
}

float CostScale::operator()(double cost) const {
  return static_cast<float>(std::log(std::min(cost, bad_) / lowest_));
}

}  // namespace tailwave::search
