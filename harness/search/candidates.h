#pragma once

#include <optional>
#include <vector>

#include "search/features.h"
#include "search/remaining.h"
#include "search/trees.h"

namespace tailwave::search {

// Points that may be asked for next, with the leaf of each tree that they fall into: so that a row more in the trees
// changes the forecasts of those that share its leaves, at little expense.
class Candidates {
 public:
  Candidates(const Features& features, const Trees& trees);

  void clear();
  void add(Point point);
  // Follows an insertion into the trees.
  void descend(const std::vector<Trees::Leaf>& touched);
  // The one with the largest expected improvement on `best`, if the trees' forecasts were a normal distribution;
  // among those from which none is to be expected, the one of the lowest forecast. Only those that remain count.
  [[nodiscard]] std::optional<Point> most_promising(float best, const Remaining& remaining) const;

 private:
  const Features* features_;
  const Trees* trees_;
  std::vector<Point> points_;
  std::vector<float> rows_;
  std::vector<std::vector<Trees::Leaf>> leaves_;  // by tree, then candidate
};

// Passes so many points to `use`, drawn from all; all of them where there are no more. Where they are not listed,
// drawing takes time: a tenth of them is drawn, the others are from those that were met before.
template <class Use>
void scatter(const SearchSpace& space, std::size_t count, Generator& random, const Use& use) {
  const bool takes_all = space.is_listed() && space.size() <= count;
  const std::size_t points = takes_all ? space.size() : count;
  for (std::size_t i = 0; i < points; ++i) {
    const bool is_drawn = space.is_listed() || space.size() < count || i < count / 10;
    use(takes_all  ? static_cast<Point>(i)
        : is_drawn ? space.any(random)
                   : random.below(static_cast<Point>(space.size())));
  }
}

// By how much a normal distribution is expected to be below `best`, where what is above counts as none (Jones,
// Schonlau & Welch, "Efficient global optimization of expensive black-box functions", 1998).
double expected_improvement(double best, double mean, double deviation);

}  // namespace tailwave::search
