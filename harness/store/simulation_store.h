#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"

namespace tailwave {

// What came out of simulating a strategy on a recorded space. Scores: search/replay.h. Costs are those of the space.
struct SimulationRecord {
  struct Seed {
    std::uint64_t seed = 0;
    double score = 0, bounded_score = 0;
    std::optional<double> best;  // at the end of the budget; none where nothing ran
  };
  struct Step {
    std::size_t evaluation = 0;  // counted from 1
    double baseline = 0;
    double median = 0, low = 0, high = 0;  // of the seeds; low and high are quartiles
  };

  std::string simulated_at;  // UTC, ISO 8601
  std::string space, device;
  std::string role = "other";  // or "training", "test"
  std::size_t points = 0, failed = 0, budget = 0;
  double optimum = 0, median = 0;
  std::string strategy;
  std::map<std::string, double, std::less<>> options,
      given;  // all, and those that were not left at their defaults
  double seconds = 0;
  std::vector<Seed> seeds;
  std::vector<Step> steps;
};

// In one transaction; gives its id.
std::int64_t add_simulation(Database& database, const SimulationRecord& record);

}  // namespace tailwave
