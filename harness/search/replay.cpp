#include "search/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace tailwave {
namespace {

// The expected lowest of `draws` draws without replacement from `costs`, which ascend.
double expected_lowest(const std::vector<double>& costs, std::size_t draws) {
  const std::size_t count = costs.size();
  double expected = 0;
  double none_lower = 1;  // the probability that no draw is among the first i costs
  for (std::size_t i = 0; i + draws <= count; ++i) {
    const double next = none_lower * static_cast<double>(count - i - draws) / static_cast<double>(count - i);
    expected += costs[i] * (none_lower - next);
    none_lower = next;
    if (none_lower < 1e-15) break;
  }
  return expected;
}

}  // namespace

SpaceStatistics analyse(const RecordedSpace& recorded) {
  std::vector<double> costs;
  for (Point point = 0; point < recorded.costs.size(); ++point)
    if (!recorded.knowledge.is_impossible(point)) costs.push_back(recorded.costs[point]);
  std::sort(costs.begin(), costs.end());
  const auto ran =
      static_cast<std::size_t>(std::lower_bound(costs.begin(), costs.end(), kFailed) - costs.begin());
  if (ran == 0) throw Error(fmt::format("{}: no configuration ran", recorded.name));
  SpaceStatistics statistics;
  statistics.optimum = costs.front();
  statistics.worst = costs[ran - 1];
  statistics.median = (costs[(ran - 1) / 2] + costs[ran / 2]) / 2;
  statistics.failed = costs.size() - ran;
  if (statistics.optimum == statistics.worst)
    throw Error(fmt::format("{}: all configurations cost the same", recorded.name));
  std::fill(costs.begin() + static_cast<std::ptrdiff_t>(ran), costs.end(), statistics.worst);
  constexpr double kShare = 0.05;
  const double target = statistics.optimum + kShare * (statistics.median - statistics.optimum);
  do {
    statistics.baseline.push_back(expected_lowest(costs, statistics.baseline.size() + 1));
  } while (statistics.baseline.back() > target && statistics.baseline.size() < costs.size());
  statistics.budget = statistics.baseline.size();
  return statistics;
}

std::vector<double> replay(const RecordedSpace& recorded, const StrategyKind& kind,
                           const StrategyOptions& options, std::uint64_t seed, std::size_t evaluations,
                           const std::function<bool()>& stop_requested, std::size_t batch) {
  SearchProblem problem{&recorded.space, evaluations, seed, &recorded.knowledge, recorded.prior.get()};
  problem.stop_requested = stop_requested;
  Search search(problem, kind.make(problem, options));
  std::vector<double> best;
  double lowest = kFailed;
  while (best.size() < evaluations && !search.exhausted() && !stop_requested()) {
    const std::vector<Point> points = search.next(std::min(batch, evaluations - best.size()));
    for (const Point point : points) {
      const double cost = recorded.costs[point];
      search.report(point, cost);
      lowest = std::min(lowest, cost);
      best.push_back(lowest);
    }
  }
  return best;
}

Score score(const SpaceStatistics& statistics, const std::vector<double>& best) {
  Score score;
  for (std::size_t t = 0; t < statistics.budget; ++t) {
    double reached = kFailed;
    if (!best.empty()) reached = best[std::min(t, best.size() - 1)];
    const double found = std::min(reached, statistics.worst);
    const double margin = statistics.baseline[t] - statistics.optimum;
    const double above = statistics.baseline[t] - found;
    double term = above >= 0 ? 0 : -1;
    if (margin > 0) term = above / margin;
    score.mean += term;
    score.bounded += std::max(term, -1.0);
  }
  score.mean /= static_cast<double>(statistics.budget);
  score.bounded /= static_cast<double>(statistics.budget);
  return score;
}

}  // namespace tailwave
