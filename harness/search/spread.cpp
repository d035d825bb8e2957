#include "search/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailwave::search {
namespace {

constexpr int kDrawn = 30;
constexpr float kClearlyCheaper = 4;  // so many times: nearer ones a prediction does not tell apart

}  // namespace

SpreadPoints::SpreadPoints(const SearchProblem& problem)
    : space_(*problem.space), knowledge_(problem.knowledge) {
  for (std::size_t i = 0; i < space_.parameters().size(); ++i)
    if (space_.parameters()[i].values.size() > 1) parameters_.push_back(i);
}

std::optional<Point> SpreadPoints::next(const std::function<std::optional<Point>()>& draw) {
  std::vector<Point> drawn;
  for (int i = 0; i < kDrawn; ++i)
    if (const std::optional<Point> point = draw()) drawn.push_back(*point);
  if (drawn.empty()) return std::nullopt;
  if (before_.size() % 2 == 0) leave_out_what_is_predicted_to_be_bad(drawn);
  Point found = drawn.front();
  double farthest = -1;
  for (const Point point : drawn) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Point other : before_) nearest = std::min(nearest, distance(point, other));
    if (nearest <= farthest) continue;
    farthest = nearest;
    found = point;
  }
  before_.push_back(found);
  return found;
}

double SpreadPoints::distance(Point one, Point other) const {
  const auto own = space_.digits(one), others = space_.digits(other);
  double sum = 0;
  for (const std::size_t i : parameters_) {
    if (own[i] == others[i]) continue;
    const auto steps = static_cast<double>(space_.parameters()[i].values.size() - 1);
    sum += space_.is_ordered(i) ? std::abs(space_.rank(i, own[i]) - space_.rank(i, others[i])) / steps : 1;
  }
  return sum;
}

void SpreadPoints::leave_out_what_is_predicted_to_be_bad(std::vector<Point>& drawn) const {
  if (knowledge_ == nullptr || !knowledge_->predicts) return;
  float lowest = std::numeric_limits<float>::infinity();
  for (const Point point : drawn)
    lowest = std::fmin(lowest, knowledge_->facts(point).predicted_cost);  // NaN does not count
  if (!std::isfinite(lowest)) return;
  std::erase_if(drawn, [&](Point point) {
    return !(knowledge_->facts(point).predicted_cost <= kClearlyCheaper * lowest);
  });
}

}  // namespace tailwave::search
