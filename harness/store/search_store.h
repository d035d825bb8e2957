#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/configuration.h"
#include "core/members.h"
#include "core/value.h"
#include "store/database.h"
#include "store/run_status.h"

namespace tailwave {

// A run that searches the configurations of one problem.
struct SearchRecord {
  std::string strategy;
  Values options;
  std::uint64_t seed = 1;
  std::optional<std::size_t> budget_evaluations;
  std::optional<double> budget_s;
  std::optional<std::string> until;  // as --until takes it
  std::size_t space_size = 0, pruned = 0;
  std::size_t configurations = 0;  // of all problems and variants, less the impossible ones

  static constexpr auto members() {
    return std::tuple{member("strategy", &SearchRecord::strategy),
                      member("options", &SearchRecord::options),
                      member("seed", &SearchRecord::seed),
                      member("budget_evaluations", &SearchRecord::budget_evaluations),
                      member("budget_seconds", &SearchRecord::budget_s),
                      member("until", &SearchRecord::until),
                      member("space_size", &SearchRecord::space_size),
                      member("pruned", &SearchRecord::pruned),
                      member("configurations", &SearchRecord::configurations)};
  }
};

// An evaluation.
struct SearchStep {
  std::int64_t step = 1;       // counted from 1
  std::optional<double> cost;  // as the strategy was told; none: it failed
  double seconds = 0;          // since the run began

  static constexpr auto members() {
    return std::tuple{member("step", &SearchStep::step), member("cost", &SearchStep::cost),
                      member("seconds", &SearchStep::seconds)};
  }
};

void begin_search(Database& database, std::int64_t run, const SearchRecord& search);

// What the latest other search of the run's experiment on its device evaluated, in the order in which its strategy
// was told; one with the same strategy, options, seed, size of space and problem. Empty: there is none.
std::vector<Configuration> steps_of_earlier_search(Database& database, std::int64_t run,
                                                   const SearchRecord& search, const Values& problem);

// As in SearchStep. The configuration becomes one of the run's plan. One transaction.
void add_search_step(Database& database, std::int64_t run, std::size_t step,
                     const Configuration& configuration, std::optional<double> cost, double seconds);

// The same for a stored configuration, inside the caller's transaction; the run's plan stays as it is.
void insert_search_step(Database& database, std::int64_t run, std::int64_t configuration,
                        const SearchStep& step);

void finish_search(Database& database, std::int64_t run, SearchEnd stopped_by);

// The run in which its leaders were measured again.
void set_final_run(Database& database, std::int64_t run, std::int64_t final_run);

}  // namespace tailwave
