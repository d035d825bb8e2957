#include "search/remaining.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tailwave::search {
namespace {

// Draws in a row that bring only what is asked for, or impossible, before it is taken that nothing else is left.
constexpr int kMostVainDraws = 20'000;

}  // namespace

Remaining::Remaining(const SearchProblem& problem) : space_(*problem.space), knowledge_(problem.knowledge) {
  if (!space_.is_listed()) return;
  points_.resize(space_.size());
  places_.resize(space_.size());
  std::iota(points_.begin(), points_.end(), Point{0});
  std::iota(places_.begin(), places_.end(), Point{0});
  is_empty_ = points_.empty();
  if (knowledge_ == nullptr) return;
  for (Point point = 0; point < places_.size(); ++point)
    if (knowledge_->is_impossible(point)) take(point);
}

void Remaining::take(Point point) {
  if (!space_.is_listed()) {
    taken_.insert(point);
    return;
  }
  const Point place = places_[point];
  if (place >= points_.size()) return;
  points_[place] = points_.back();
  places_[points_[place]] = place;
  points_.pop_back();
  places_[point] = std::numeric_limits<Point>::max();
  is_empty_ = points_.empty();
}

bool Remaining::has(Point point) const {
  if (space_.is_listed()) return places_[point] < points_.size();
  return !taken_.contains(point) && (knowledge_ == nullptr || !knowledge_->is_impossible(point));
}

std::optional<Point> Remaining::any(Generator& random) {
  if (is_empty_) return std::nullopt;
  if (space_.is_listed()) return points_[random.below(static_cast<Point>(points_.size()))];
  for (int i = 0; i < kMostVainDraws; ++i)
    if (const Point point = space_.any(random); has(point)) return point;
  is_empty_ = true;
  return std::nullopt;
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
