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

// Evaluations to keep, counted from 1.
std::vector<std::size_t> kept_evaluations(std::size_t budget) {
  std::vector<std::size_t> kept;
  const std::size_t count = std::min(budget, kMostSteps);
  for (std::size_t i = 0; i < count; ++i) kept.push_back(count == 1 ? 1 : 1 + i * (budget - 1) / (count - 1));
  return kept;
}

std::vector<SimulationRecord::Step> steps_of(const std::vector<Curve>& curves,
                                             const SpaceStatistics& statistics) {
  std::vector<SimulationRecord::Step> steps;
  std::vector<double> costs;
  for (const std::size_t evaluation : kept_evaluations(statistics.budget)) {
    costs.clear();
    for (const Curve& curve : curves) {
      double lowest = kFailed;
      if (!curve.empty()) lowest = curve[std::min(evaluation, curve.size()) - 1];
      costs.push_back(std::min(lowest, statistics.worst));
    }
    steps.push_back({evaluation, statistics.baseline[evaluation - 1], median(costs), quantile(costs, 0.25),
                     quantile(costs, 0.75)});
  }
  return steps;
}

SimulationRecord::Seed scored(std::uint64_t seed, const Curve& curve, const SpaceStatistics& statistics) {
  const Score reached = score(statistics, curve);
  SimulationRecord::Seed one{seed, reached.mean, reached.bounded, std::nullopt};
  if (!curve.empty() && curve.back() != kFailed) one.best = curve.back();
  return one;
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
  record.optimum = statistics.optimum;
  record.median = statistics.median;
  record.strategy = kind.name;
  record.options = complete_options(kind, options.given);
  record.given = {options.given.begin(), options.given.end()};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Curve> curves(options.seeds);
  for_each_seed(options, "interrupted: what was simulated whole is stored", [&](std::size_t i) {
    curves[i] = replay(space, kind, record.options, options.first_seed + i, statistics.budget,
                       options.stop_requested, options.batch);
  });
  for (std::size_t i = 0; i < curves.size(); ++i)
    record.seeds.push_back(scored(options.first_seed + i, curves[i], statistics));
  record.steps = steps_of(curves, statistics);
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
                             .optimum = statistics.optimum,
                             .seeds = std::vector<BuildSimulation::Seed>(options.seeds)};
  const StrategyOptions complete = complete_options(kind, options.given);
  for_each_seed(options, "interrupted: scores with build processes are not stored", [&](std::size_t i) {
    const std::uint64_t seed = options.first_seed + i;
    const BuildTimes times(space.space, seed);
    BuildReplay builds{.processes = processes, .order = TellingOrder::asked, .build_s = [&](Point point) {
                         return times.seconds(point);
                       }};
    std::vector<double> clock_s;
    for (const TimedEvaluation& one : replay_builds(space, find_strategy("random"), {}, seed,
                                                    statistics.budget, builds, options.stop_requested))
      clock_s.push_back(one.told_s);
    builds.order = order;
    const std::vector<TimedEvaluation> evaluations =
        replay_builds(space, kind, complete, seed, statistics.budget, builds, options.stop_requested);
    const Curve curve = lowest_costs(space, evaluations);
    BuildSimulation::Seed& one = simulation.seeds[i];
    one.seed = seed;
    one.by_evaluation = score(statistics, curve);
    one.by_time = score(statistics, lowest_costs_at(space, evaluations, clock_s));
    if (!evaluations.empty()) one.seconds = evaluations.back().told_s;
    if (!curve.empty() && curve.back() != kFailed) one.best = curve.back();
  });
  return simulation;
}

}  // namespace tailwave
