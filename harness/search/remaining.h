#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "core/random.h"
#include "search/strategy.h"

namespace tailwave::search {

// Which points nobody has asked for. What is known to be impossible is asked for from the start. All take constant
// time, where the space's points are listed.
class Remaining {
 public:
  explicit Remaining(const SearchProblem& problem);

  void take(Point point);
  [[nodiscard]] bool has(Point point) const;
  // Nothing is left, or, of a space whose points are not listed, any() has found nothing.
  [[nodiscard]] bool is_empty() const { return is_empty_; }
  // One at random, as equally likely as can be; none only where nothing is left.
  [[nodiscard]] std::optional<Point> any(Generator& random);

 private:
  const SearchSpace& space_;
  const Knowledge* knowledge_;
  bool is_empty_ = false;
  // Of listed points.
  std::vector<Point> points_;  // those that remain, in no order
  std::vector<Point> places_;  // of each point in points_; beyond its end for one that is taken
  // Of others.
  std::unordered_set<Point> taken_;
};

// Costs as a model learns them: the logarithm of the cost over the lowest, and costs beyond the good ones all alike,
// because how bad a bad configuration is says little of where the best ones are. A failure is as bad as the worst of
// the good.
class CostScale {
 public:
  // `good_share`: of the costs that are not kFailed. False, and nothing changes, where all are.
  bool fit(std::vector<double> costs, double good_share);
  [[nodiscard]] float operator()(double cost) const;

 private:
  double lowest_ = 1, bad_ = 1;
};

}  // namespace tailwave::search
