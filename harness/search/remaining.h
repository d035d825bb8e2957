#pragma once

#include <vector>

#include "core/random.h"
#include "search/strategy.h"

namespace tailwave::search {

// Which points nobody has asked for. What is known to be impossible is asked for from the start. All take constant time.
class Remaining {
 public:
  explicit Remaining(const SearchProblem& problem);

  void take(Point point);
  [[nodiscard]] bool has(Point point) const { return places_[point] < points_.size(); }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  // One at random, each equally likely; there has to be one.
  [[nodiscard]] Point any(Generator& random) const;

 private:
  std::vector<Point> points_;  // those that remain, in no order
  std::vector<Point> places_;  // of each point in points_; beyond its end for one that is taken
};

// Costs as a model learns them: the logarithm of the cost over the lowest, and costs beyond the good ones all alike, because
// how bad a bad configuration is says little of where the best ones are. A failure is as bad as the worst of the good.
class CostScale {
 public:
  // `good_share`: of the costs that are not kFailed. False, and nothing changes, where all are.
  bool fit(std::vector<double> costs, double good_share);
  [[nodiscard]] float operator()(double cost) const;

 private:
  double lowest_ = 1, bad_ = 1;
};

}  // namespace tailwave::search
