#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/table.h"
#include "store/database.h"

namespace tailwave {

// The trials that count (view current_trial) of an experiment on a run device, by its name.

// A row for each, raw units in the names (median_ns), in the order in which they were stored. `value` is the metric
// in SI units; parameters, problem and metrics (all that the experiment has by
// name where it has several, or one by an expression; null for one without a value) are JSON text.
Table current_trials(Database& database, const std::string& system, const std::string& experiment,
                     const std::string& device);

struct BetterTrial {
  std::string configuration;
  double value = 0;  // of the metric, SI units
  std::int64_t run = 0;
  std::string run_started_at;
  bool is_shown = false;  // by the samples, see Standing
};

// The best of the configurations with the same problem, where this one is slower by more than `margin`, a share; none
// where it is not.
std::optional<BetterTrial> better_trial(Database& database, const std::string& system,
                                        const std::string& experiment, const std::string& device,
                                        const std::string& configuration, double margin);

struct RankedConfiguration {
  Configuration configuration;
  double median_ns = 0;
};

// The best `most` of each problem and the slowest one, of the configurations with kernels that are correct: the best
// first.
std::vector<RankedConfiguration> leaders_and_slowest(Database& database, const std::string& system,
                                                     const std::string& experiment, const std::string& device,
                                                     std::int64_t most);

}  // namespace tailwave
