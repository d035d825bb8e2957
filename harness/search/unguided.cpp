// Strategies that learn nothing from what they are told.
#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "search/kinds.h"

namespace tailwave::search {
namespace {

class InOrder : public Strategy {
 public:
  explicit InOrder(std::vector<Point> order) : order_(std::move(order)) {}

  void ask(std::size_t most, std::vector<Point>& points) override {
    const std::size_t end = std::min(next_ + most, order_.size());
    for (; next_ < end; ++next_) points.push_back(order_[next_]);
  }
  void tell(Point /*point*/, double /*cost*/) override {}

 private:
  std::vector<Point> order_;
  std::size_t next_ = 0;
};

std::vector<Point> all_points(const SearchProblem& problem) {
  std::vector<Point> order(problem.space->size());
  std::iota(order.begin(), order.end(), Point{0});
  return order;
}

}  // namespace

StrategyKind exhaustive() {
  return {"exhaustive",
          "every configuration, in the order of the spec",
          "",
          {},
          [](const SearchProblem& problem, const StrategyOptions&) {
            return std::make_unique<InOrder>(all_points(problem));
          }};
}

StrategyKind random() {
  return {"random",
          "configurations at random, none twice",
          "",
          {},
          [](const SearchProblem& problem, const StrategyOptions&) {
            std::vector<Point> order = all_points(problem);
            Generator random(problem.seed);
            for (std::size_t i = order.size(); i > 1; --i)
              std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
            return std::make_unique<InOrder>(std::move(order));
          }};
}

}  // namespace tailwave::search
