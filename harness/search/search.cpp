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
      is_waiting_(problem.space->size(), false),
      costs_(problem.space->size(), kFailed),
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
      } else if (!is_waiting_[point]) {
        strategy_->tell(point, costs_[point]);
      }
    }
  }
  if (fresh.empty() && waiting_ == 0 && !exhausted()) {
    fresh.push_back(unseen_.any(random_));
    hand_out(fresh.back());
  }
  return fresh;
}

void Search::hand_out(Point point) {
  is_waiting_[point] = true;
  unseen_.take(point);
  ++waiting_;
}

void Search::report(Point point, double cost) {
  if (point >= is_waiting_.size() || !is_waiting_[point])
    throw std::invalid_argument("the cost of a point that was not handed out");
  is_waiting_[point] = false;
  --waiting_;
  costs_[point] = cost;
  history_.push_back({point, cost});
  strategy_->tell(point, cost);
}

}  // namespace tailwave
