#include "search/search.h"

#include <stdexcept>
#include <utility>

namespace tailwave {
namespace {

// Asks in a row that bring no point to evaluate before a random one is handed out.
constexpr int kMostFruitless = 100;

}  // namespace

Search::Search(const SearchProblem& problem, std::unique_ptr<Strategy> strategy)
    : problem_(problem),
      strategy_(std::move(strategy)),
      random_(problem.seed + kGoldenGamma),
      unseen_(problem) {}

std::vector<Point> Search::next(std::size_t most) {
  std::vector<Point> fresh, asked;
  for (int fruitless = 0; fruitless < kMostFruitless && fresh.empty() && !exhausted(); ++fruitless) {
    asked.clear();
    strategy_->ask(most, asked);
    if (asked.empty()) break;
    for (const Point point : asked) {
      if (unseen_.has(point)) {
        hand_out(point);
        fresh.push_back(point);
      } else if (!waiting_.contains(point)) {
        double cost = kFailed;
        if (const auto known = costs_.find(point); known != costs_.end()) cost = known->second;
        strategy_->tell(point, cost);
      }
    }
  }
  if (!fresh.empty() || !waiting_.empty()) return fresh;
  if (const std::optional<Point> point = unseen_.any(random_)) {
    hand_out(*point);
    fresh.push_back(*point);
  }
  return fresh;
}

void Search::hand_out(Point point) {
  waiting_.insert(point);
  unseen_.take(point);
}

void Search::report(Point point, double cost) {
  if (waiting_.erase(point) == 0) throw std::invalid_argument("the cost of a point that was not handed out");
  costs_[point] = cost;
  history_.push_back({point, cost});
  strategy_->tell(point, cost);
}

}  // namespace tailwave
