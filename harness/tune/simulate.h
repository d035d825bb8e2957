#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/build_replay.h"
#include "search/replay.h"
#include "store/simulation_store.h"

namespace tailwave {

struct SimulationOptions {
  std::uint64_t first_seed = 1;
  std::size_t seeds = 100;
  std::map<std::string, double> given;  // hyperparameters; the others have their defaults
  unsigned threads = 1;
  std::size_t batch = 1;  // see replay()
  std::function<bool()> stop_requested = [] { return false; };
};

// Steps that a record keeps of longer budgets: the first evaluation, the last, and others evenly between.
inline constexpr std::size_t kMostSteps = 200;

// Replays a strategy with the seeds first_seed, first_seed + 1, ... for the budget of the space, several seeds at a
// time; the same numbers come out with any number of threads. `simulated_at` and `role` are left to the caller.
// Throws what complete_options() throws, what a strategy throws, and Error when a stop was requested.
SimulationRecord simulate(const RecordedSpace& space, const SpaceStatistics& statistics,
                          const StrategyKind& kind, const SimulationOptions& options);

// What came out of simulating a strategy on a recorded space with processes that build ahead.
struct BuildSimulation {
  struct Seed {
    std::uint64_t seed = 0;
    Score by_evaluation;
    // The same with the lowest cost at the time at which random search, with the same builds and in the order of
    // asking, is told the cost of its t-th evaluation.
    Score by_time;
    double seconds = 0;          // of the search
    std::optional<double> best;  // none where nothing ran
  };

  std::string space, device, strategy;
  TellingOrder order = TellingOrder::built;
  std::size_t budget = 0;
  bool has_recorded_times = false;  // of builds and measurements; else they were drawn
  double optimum = 0;
  std::vector<Seed> seeds;
};

// simulate() by replay_builds(), with the recorded seconds of the space or else BuildTimes of each seed.
BuildSimulation simulate_builds(const RecordedSpace& space, const SpaceStatistics& statistics,
                                const StrategyKind& kind, const SimulationOptions& options,
                                std::size_t processes, TellingOrder order);

}  // namespace tailwave
