#pragma once

#include <span>
#include <vector>

namespace tailwave {

// What is known of one objective of one point: less is better. The interval holds what it may really be.
struct ParetoCost {
  double value = 0, low = 0, high = 0;
};

// A value of each objective, in the same order for all points.
using ParetoPoint = std::vector<ParetoCost>;

// a is surely better than b: their intervals do not meet.
bool surely_better(const ParetoCost& a, const ParetoCost& b);

// Whether a is surely better than b in an objective, and b surely better than a in none.
bool dominates(const ParetoPoint& a, const ParetoPoint& b);

// Which points nothing dominates: what is tied with such a point stays beside it. With three objectives and more, points
// may dominate each other in a circle; of a circle that nothing outside dominates those stay that no other one of it
// beats by values (at least as good in all, better in one). So some point always stays. All points have equally many
// objectives.
std::vector<bool> pareto_front(std::span<const ParetoPoint> points);

}  // namespace tailwave
