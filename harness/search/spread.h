#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "search/strategy.h"

namespace tailwave::search {

// Points to begin a search with, each far from those before: of some drawn at random, the one whose nearest is the
// farthest ("maximin": Johnson, Moore & Ylvisaker, "Minimax and maximin distance designs", 1990). Two are as far
// apart as the ranks of their values, from 0 to 1, in the mean over the parameters; two texts or bools 0 or 1.
//
// Where costs are predicted, every other is one of those drawn that are predicted to cost less than four times the
// lowest of them: so that a prediction that is wrong does not spoil all.
class SpreadPoints {
 public:
  explicit SpreadPoints(const SearchProblem& problem);

  // One of those that `draw` gives; none only where it gives none.
  std::optional<Point> next(const std::function<std::optional<Point>()>& draw);

 private:
  [[nodiscard]] double distance(Point one, Point other) const;
  void leave_out_what_is_predicted_to_be_bad(std::vector<Point>& drawn) const;

  const SearchSpace& space_;
  const Knowledge* knowledge_;
  std::vector<std::size_t> parameters_;  // those with more than one value
  std::vector<Point> before_;
};

}  // namespace tailwave::search
