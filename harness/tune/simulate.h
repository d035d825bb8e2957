#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "search/replay.h"
#include "store/simulation_store.h"

namespace tailwave {

struct SimulationOptions {
  std::uint64_t first_seed = 1;
  std::size_t seeds = 100;
  std::map<std::string, double> given;  // hyperparameters; the others have their defaults
  unsigned threads = 1;
  std::function<bool()> stop_requested = [] { return false; };
};

// Steps that a record keeps of longer budgets: the first evaluation, the last, and others evenly between.
inline constexpr std::size_t kMostSteps = 200;

// Replays a strategy with the seeds first_seed, first_seed + 1, ... for the budget of the space, several seeds at a time; the same
// numbers come out with any number of threads. `simulated_at` and `role` are left to the caller. Throws what complete_options() throws, what a
// strategy throws, and Error when a stop was requested.
SimulationRecord simulate(const RecordedSpace& space, const SpaceStatistics& statistics,
                          const StrategyKind& kind, const SimulationOptions& options);

}  // namespace tailwave
