#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/random.h"
#include "search/remaining.h"
#include "search/strategy.h"

namespace tailwave {

struct Evaluation {
  Point point = 0;
  double cost = 0;
};

// How many points to have asked for and not told, after so many evaluations: what is asked for early is asked for by
// a strategy that knows less.
constexpr std::size_t points_ahead(std::size_t evaluations) {
  constexpr std::size_t kOfEvaluations = 8, kMost = 32;
  return std::clamp<std::size_t>(evaluations / kOfEvaluations, 1, kMost);
}

// A strategy at work: hands out every point at most once, answers a strategy that asks for one again from memory,
// keeps what is known to be impossible from it (as failed, at no evaluation's expense), and goes on with random
// points that nobody has asked for when a strategy has nothing more to ask or keeps asking for what it knows.
class Search {
 public:
  Search(const SearchProblem& problem, std::unique_ptr<Strategy> strategy);

  // Up to `most` points to evaluate. None: the cost of one handed out has to be reported first, or all are handed out.
  std::vector<Point> next(std::size_t most);
  // The cost of a point handed out; throws std::invalid_argument for another one, and one reported before.
  void report(Point point, double cost);

  [[nodiscard]] bool exhausted() const { return unseen_.is_empty(); }
  [[nodiscard]] const std::vector<Evaluation>& history() const { return history_; }  // as reported

 private:
  // Marks a point as handed out.
  void hand_out(Point point);

  SearchProblem problem_;
  std::unique_ptr<Strategy> strategy_;
  Generator random_;
  std::unordered_set<Point> waiting_;  // for their costs
  std::unordered_map<Point, double> costs_;
  std::vector<Evaluation> history_;
  search::Remaining unseen_;
};

}  // namespace tailwave
