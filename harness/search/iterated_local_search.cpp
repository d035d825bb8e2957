// Descends to a local optimum, jumps away from the best one found, and descends again.
#include <algorithm>

#include "search/kinds.h"
#include "search/point_by_point.h"

namespace tailwave::search {
namespace {

class IteratedLocalSearch : public PointByPoint {
 public:
  IteratedLocalSearch(const SearchProblem& problem, const StrategyOptions& options)
      : PointByPoint(problem),
        neighbourhood_(options.at("adjacent") != 0 ? Neighbourhood::adjacent : Neighbourhood::hamming),
        jump_(static_cast<std::size_t>(options.at("jump"))),
        patience_(static_cast<int>(options.at("patience"))) {}

 protected:
  std::optional<Point> propose() override {
    if (const std::optional<Point> point = first_point()) return point;
    if (!start_ && !untried_.empty()) {
      const Point point = untried_.back();
      untried_.pop_back();
      return point;
    }
    if (!start_) {
      if (waiting() > 0) return std::nullopt;
      leave_local_optimum();
    }
    return start_;
  }

  // First improvement: a better neighbour is the next point to descend from.
  void judge(Point point, double cost) override {
    if (judges_first_point()) {  // the best of them is where it begins
      if (cost < best_cost_) {
        best_ = point;
        best_cost_ = cost;
      }
      if (first_points_are_judged() && best_cost_ != kFailed) start_ = best_;
      return;
    }
    if (start_ == point) {
      start_.reset();
    } else if (!(cost < current_cost_)) {
      return;
    }
    current_cost_ = cost;
    current_ = point;
    space().neighbours(point, neighbourhood_, untried_);
    for (std::size_t i = untried_.size(); i > 1; --i)
      std::swap(untried_[i - 1], untried_[random().below(static_cast<std::uint32_t>(i))]);
  }

 private:
  void leave_local_optimum() {
    if (current_cost_ < best_cost_) {
      best_ = current_;
      best_cost_ = current_cost_;
      fruitless_ = 0;
    } else if (++fruitless_ > patience_) {
      best_cost_ = kFailed;
      fruitless_ = 0;
    }
    start_ = best_cost_ == kFailed ? any_point() : mutated(best_, jump_);
  }

  Neighbourhood neighbourhood_;
  std::size_t jump_;
  int patience_;
  std::optional<Point> start_;    // of the next descent, to be judged
  std::vector<Point> untried_;    // neighbours of current_, in random order
  Point current_ = 0, best_ = 0;  // best_: the local optimum that jumps start from
  double current_cost_ = kFailed, best_cost_ = kFailed;
  int fruitless_ = 0;  // descents that ended in nothing better than best_
};

}  // namespace

StrategyKind iterated_local_search() {
  return {"iterated_local_search",
          "descends to a local optimum, jumps away from the best one, descends again",
          "Lourenço, Martin & Stützle, \"Iterated local search\", Handbook of Metaheuristics, 2003",
          {{"adjacent", 0, 0, 1, "1: neighbours differ by one step in one parameter; 0: by any one value",
            kWhole},
           {"jump", 3, 1, 100, "parameters changed by a jump", kWhole},
           {"patience", 5, 0, 1e6, "jumps without success before it starts anew at random", kWhole}},
          [](const SearchProblem& problem, const StrategyOptions& options) {
            return std::make_unique<IteratedLocalSearch>(problem, options);
          }};
}

}  // namespace tailwave::search
