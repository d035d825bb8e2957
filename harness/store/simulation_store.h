#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/enum_names.h"
#include "core/members.h"
#include "store/database.h"

namespace tailwave {

// What a recorded space is for: strategies are tuned on `training`, and judged on `test`.
enum class Role { training, test, other };

template <>
struct EnumNames<Role> {
  static constexpr std::string_view noun = "role";
  static constexpr std::array<std::string_view, 3> names{"training", "test", "other"};
};

// What came out of simulating a strategy on a recorded space. Scores: search/replay.h. Costs are those of the space.
struct SimulationRecord {
  struct Seed {
    std::uint64_t seed = 0;
    double score = 0, bounded_score = 0;
    std::optional<double> best;           // at the end of the budget; none where nothing ran
    std::optional<double> score_by_time;  // none: the space has no recorded seconds

    static constexpr auto members() {
      return std::tuple{member("seed", &Seed::seed), member("score", &Seed::score),
                        member("bounded_score", &Seed::bounded_score), member("best", &Seed::best),
                        member("score_by_time", &Seed::score_by_time)};
    }
  };
  struct Step {
    std::size_t evaluation = 0;  // counted from 1
    double baseline = 0;
    double median = 0, low = 0, high = 0;  // of the seeds; low and high are quartiles

    static constexpr auto members() {
      return std::tuple{member("evaluation", &Step::evaluation), member("baseline", &Step::baseline),
                        member("median", &Step::median), member("low", &Step::low),
                        member("high", &Step::high)};
    }
  };

  std::string simulated_at;  // UTC, ISO 8601
  std::string space, device;
  Role role = Role::other;
  std::size_t points = 0, failed = 0, budget = 0;
  std::optional<double> budget_seconds;
  double optimum = 0, median = 0;
  std::string strategy;
  std::map<std::string, double, std::less<>> options,
      given;  // all, and those that were not left at their defaults
  double seconds = 0;
  std::vector<Seed> seeds;
  std::vector<Step> steps;

  static constexpr auto members() {
    // Seeds and steps have tables of their own.
    return std::tuple{member("simulated_at", &SimulationRecord::simulated_at),
                      member("space", &SimulationRecord::space),
                      member("device", &SimulationRecord::device),
                      member("role", &SimulationRecord::role),
                      member("points", &SimulationRecord::points),
                      member("failed", &SimulationRecord::failed),
                      member("budget", &SimulationRecord::budget),
                      member("budget_seconds", &SimulationRecord::budget_seconds),
                      member("optimum", &SimulationRecord::optimum),
                      member("median", &SimulationRecord::median),
                      member("strategy", &SimulationRecord::strategy),
                      member("options", &SimulationRecord::options),
                      member("given", &SimulationRecord::given),
                      member("seconds", &SimulationRecord::seconds),
                      member<kNotRow>("seeds", &SimulationRecord::seeds),
                      member<kNotRow>("steps", &SimulationRecord::steps)};
  }
};

// In one transaction; gives its id.
std::int64_t add_simulation(Database& database, const SimulationRecord& record);

}  // namespace tailwave
