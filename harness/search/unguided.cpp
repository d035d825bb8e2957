// Strategies that learn nothing from what they are told.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "core/random.h"
#include "search/kinds.h"
#include "search/remaining.h"

namespace tailwave::search {
namespace {

class InOrder : public Strategy {
 public:
  explicit InOrder(const SearchProblem& problem) : next_(problem.space->in_order()) {}

  void ask(std::size_t most, std::vector<Point>& points) override {
    for (std::size_t i = 0; i < most; ++i) {
      const std::optional<Point> point = next_();
      if (!point) return;
      points.push_back(*point);
    }
  }
  void tell(Point /*point*/, double /*cost*/) override {}

 private:
  std::function<std::optional<Point>()> next_;
};

// In an order that is drawn before the first is asked for.
class Shuffled : public Strategy {
 public:
  explicit Shuffled(const SearchProblem& problem) : order_(problem.space->size()) {
    std::iota(order_.begin(), order_.end(), Point{0});
    Generator random(problem.seed);
    shuffle(order_, random);
  }

  void ask(std::size_t most, std::vector<Point>& points) override {
    const std::size_t end = std::min(next_ + most, order_.size());
    for (; next_ < end; ++next_) points.push_back(order_[next_]);
  }
  void tell(Point /*point*/, double /*cost*/) override {}

 private:
  std::vector<Point> order_;
  std::size_t next_ = 0;
};

// Drawn from all one after another, for points that are not listed.
class Drawn : public Strategy {
 public:
  explicit Drawn(const SearchProblem& problem) : remaining_(problem), random_(problem.seed) {}

  void ask(std::size_t most, std::vector<Point>& points) override {
    for (std::size_t i = 0; i < most; ++i) {
      const std::optional<Point> point = remaining_.any(random_);
      if (!point) return;
      remaining_.take(*point);
      points.push_back(*point);
    }
  }
  void tell(Point /*point*/, double /*cost*/) override {}

 private:
  Remaining remaining_;
  Generator random_;
};

}  // namespace

StrategyKind exhaustive() {
  return {"exhaustive",
          "every configuration, in the order of the spec",
          "",
          {},
          [](const SearchProblem& problem, const StrategyOptions&) {
            return std::make_unique<InOrder>(problem);
          }};
}

StrategyKind random() {
  return {"random",
          "configurations at random, none twice",
          "",
          {},
          [](const SearchProblem& problem, const StrategyOptions&) -> std::unique_ptr<Strategy> {
            if (problem.space->is_listed()) return std::make_unique<Shuffled>(problem);
            return std::make_unique<Drawn>(problem);
          }};
}

}  // namespace tailwave::search
