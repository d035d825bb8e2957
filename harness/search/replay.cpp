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

double total(const EvaluationSeconds& seconds) {
  return seconds.build + seconds.measure;
}

// Of the configurations that a search may evaluate; none where that was not recorded.
std::optional<double> mean_seconds(const RecordedSpace& recorded) {
  double sum = 0;
  std::size_t count = 0;
  for (Point point = 0; point < recorded.seconds.size(); ++point) {
    if (recorded.knowledge.is_impossible(point)) continue;
    sum += total(recorded.seconds[point]);
    ++count;
  }
  return sum > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
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
  if (const std::optional<double> mean_s = mean_seconds(recorded))
    statistics.budget_seconds = *mean_s * static_cast<double>(statistics.budget);
  return statistics;
}

std::vector<Point> replay(const RecordedSpace& recorded, const StrategyKind& kind,
                          const StrategyOptions& options, std::uint64_t seed, Horizon horizon,
                          const std::function<bool()>& stop_requested, std::size_t batch) {
  SearchProblem problem{&recorded.space, horizon.evaluations, seed, &recorded.knowledge,
                        recorded.prior.get()};
  problem.stop_requested = stop_requested;
  Search search(problem, kind.make(problem, options));
  std::vector<Point> evaluated;
  double now_s = 0;
  while (!search.exhausted() && !stop_requested()) {
    std::size_t most = batch;
    if (evaluated.size() < horizon.evaluations)
      most = std::min(most, horizon.evaluations - evaluated.size());
    else if (now_s >= horizon.seconds)
      break;
    for (const Point point : search.next(most)) {
      search.report(point, recorded.costs[point]);
      evaluated.push_back(point);
      if (!recorded.seconds.empty()) now_s += total(recorded.seconds[point]);
    }
  }
  return evaluated;
}

std::vector<double> lowest_costs(const RecordedSpace& recorded, const std::vector<Point>& points) {
  std::vector<double> lowest;
  for (const Point point : points)
    lowest.push_back(std::min(recorded.costs[point], lowest.empty() ? kFailed : lowest.back()));
  return lowest;
}

std::vector<double> lowest_costs_at(const RecordedSpace& recorded, const std::vector<Point>& points,
                                    const std::vector<double>& told_s, const std::vector<double>& moments) {
  std::vector<double> lowest;
  double reached = kFailed;
  std::size_t next = 0;
  for (const double moment : moments) {
    for (; next < points.size() && told_s[next] <= moment; ++next)
      reached = std::min(reached, recorded.costs[points[next]]);
    lowest.push_back(reached);
  }
  return lowest;
}

std::vector<double> told_in_turn(const RecordedSpace& recorded, const std::vector<Point>& points) {
  std::vector<double> told_s;
  for (const Point point : points)
    told_s.push_back((told_s.empty() ? 0 : told_s.back()) + total(recorded.seconds[point]));
  return told_s;
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

Score score_by_time(const RecordedSpace& recorded, const SpaceStatistics& statistics,
                    const std::vector<Point>& points) {
  std::vector<double> moments;
  const auto budget = static_cast<double>(statistics.budget);
  for (std::size_t t = 1; t <= statistics.budget; ++t)
    moments.push_back(*statistics.budget_seconds * static_cast<double>(t) / budget);
  return score(statistics, lowest_costs_at(recorded, points, told_in_turn(recorded, points), moments));
}

}  // namespace tailwave
