#include "tune/simulate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "core/statistics.h"
#include "core/stopwatch.h"

namespace tailwave {
namespace {

// Calls `work(0)` to `work(count - 1)`, each once, and rethrows the first exception.
void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto work_on = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back(work_on);
    work_on();
  }
  if (failure) std::rethrow_exception(failure);
}

// Calls `work` with 0 to seeds - 1, several at a time. Throws Error of that text when a stop was requested.
void for_each_seed(const SimulationOptions& options, const char* interrupted,
                   const std::function<void(std::size_t)>& work) {
  in_parallel(options.seeds, options.threads, [&](std::size_t i) {
    work(i);
    if (options.stop_requested()) throw Error(interrupted);
  });
}

using Curve = std::vector<double>;  // the lowest cost after each evaluation

// What a search of one seed went through.
struct Replayed {
  Curve curve;
  std::optional<Score> by_time;
};

// Evaluations to keep, counted from 1.
std::vector<std::size_t> kept_evaluations(std::size_t budget) {
  std::vector<std::size_t> kept;
  const std::size_t count = std::min(budget, kMostSteps);
  for (std::size_t i = 0; i < count; ++i) kept.push_back(count == 1 ? 1 : 1 + i * (budget - 1) / (count - 1));
  return kept;
}

std::vector<SimulationRecord::Step> steps_of(const std::vector<Replayed>& all,
                                             const SpaceStatistics& statistics) {
  std::vector<SimulationRecord::Step> steps;
  std::vector<double> costs;
  for (const std::size_t evaluation : kept_evaluations(statistics.budget)) {
    costs.clear();
    for (const auto& [curve, by_time] : all) {
      double lowest = kFailed;
      if (!curve.empty()) lowest = curve[std::min(evaluation, curve.size()) - 1];
      costs.push_back(std::min(lowest, statistics.worst));
    }
    steps.push_back({evaluation, statistics.baseline[evaluation - 1], median(costs), quantile(costs, 0.25),
                     quantile(costs, 0.75)});
  }
  return steps;
}

Replayed replayed(const RecordedSpace& space, const SpaceStatistics& statistics, const StrategyKind& kind,
                  const StrategyOptions& complete, const SimulationOptions& options, std::uint64_t seed) {
  // Several devices would measure at the same time; which one when, nothing recorded says.
  const bool has_clock = statistics.budget_seconds && options.batch == 1;
  std::vector<Point> points =
      replay(space, kind, complete, seed,
             {.evaluations = statistics.budget, .seconds = has_clock ? *statistics.budget_seconds : 0},
             options.stop_requested, options.batch);
  Replayed one;
  if (has_clock) one.by_time = score_by_time(space, statistics, points);
  points.resize(std::min(points.size(), statistics.budget));
  one.curve = lowest_costs(space, points);
  return one;
}

SimulationRecord::Seed scored(std::uint64_t seed, const Replayed& replayed,
                              const SpaceStatistics& statistics) {
  const Score reached = score(statistics, replayed.curve);
  SimulationRecord::Seed one{.seed = seed, .score = reached.mean, .bounded_score = reached.bounded};
  if (replayed.by_time) one.score_by_time = replayed.by_time->mean;
  if (!replayed.curve.empty() && replayed.curve.back() != kFailed) one.best = replayed.curve.back();
  return one;
}

struct Told {
  std::vector<Point> points;
  std::vector<double> told_s;
};

Told split(const std::vector<TimedEvaluation>& evaluations) {
  Told told;
  for (const TimedEvaluation& one : evaluations) {
    told.points.push_back(one.point);
    told.told_s.push_back(one.told_s);
  }
  return told;
}

// As long as recorded, or else drawn. Both have to outlive what is returned.
BuildReplay replay_of(const RecordedSpace& space, const BuildTimes& drawn, std::size_t processes) {
  BuildReplay builds{.processes = processes};
  if (space.seconds.empty()) {
    builds.build_s = [&drawn](Point point) { return drawn.seconds(point); };
    builds.measure_s = [](Point /*point*/) { return BuildTimes::kMeasureS; };
  } else {
    builds.build_s = [&space](Point point) { return space.seconds[point].build; };
    builds.measure_s = [&space](Point point) { return space.seconds[point].measure; };
  }
  return builds;
}

}  // namespace

SimulationRecord simulate(const RecordedSpace& space, const SpaceStatistics& statistics,
                          const StrategyKind& kind, const SimulationOptions& options) {
  SimulationRecord record;
  record.space = space.name;
  record.device = space.device;
  record.points = space.space.size();
  record.failed = statistics.failed;
  record.budget = statistics.budget;
  record.budget_seconds = statistics.budget_seconds;
  record.optimum = statistics.optimum;
  record.median = statistics.median;
  record.strategy = kind.name;
  record.options = complete_options(kind, options.given);
  record.given = {options.given.begin(), options.given.end()};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Replayed> all(options.seeds);
  for_each_seed(options, "interrupted: what was simulated whole is stored", [&](std::size_t i) {
    all[i] = replayed(space, statistics, kind, record.options, options, options.first_seed + i);
  });
  for (std::size_t i = 0; i < all.size(); ++i)
    record.seeds.push_back(scored(options.first_seed + i, all[i], statistics));
  record.steps = steps_of(all, statistics);
  record.seconds = seconds_since(begin);
  return record;
}

BuildSimulation simulate_builds(const RecordedSpace& space, const SpaceStatistics& statistics,
                                const StrategyKind& kind, const SimulationOptions& options,
                                std::size_t processes, TellingOrder order) {
  BuildSimulation simulation{.space = space.name,
                             .device = space.device,
                             .strategy = kind.name,
                             .order = order,
                             .budget = statistics.budget,
                             .has_recorded_times = !space.seconds.empty(),
                             .optimum = statistics.optimum,
                             .seeds = std::vector<BuildSimulation::Seed>(options.seeds)};
  const StrategyOptions complete = complete_options(kind, options.given);
  for_each_seed(options, "interrupted: scores with build processes are not stored", [&](std::size_t i) {
    const std::uint64_t seed = options.first_seed + i;
    const BuildTimes drawn(space.space, seed);
    BuildReplay builds = replay_of(space, drawn, processes);
    builds.order = TellingOrder::asked;
    const std::vector<double> clock_s =
        split(replay_builds(space, find_strategy("random"), {}, seed, statistics.budget, builds,
                            options.stop_requested))
            .told_s;
    builds.order = order;
    const auto [points, told_s] =
        split(replay_builds(space, kind, complete, seed, statistics.budget, builds, options.stop_requested));
    const Curve curve = lowest_costs(space, points);
    BuildSimulation::Seed& one = simulation.seeds[i];
    one.seed = seed;
    one.by_evaluation = score(statistics, curve);
    one.by_time = score(statistics, lowest_costs_at(space, points, told_s, clock_s));
    if (!told_s.empty()) one.seconds = told_s.back();
    if (!curve.empty() && curve.back() != kFailed) one.best = curve.back();
  });
  return simulation;
}

}  // namespace tailwave
