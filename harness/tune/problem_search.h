#pragma once

#include <optional>
#include <vector>

#include "spec/problem_space.h"
#include "tune/launch_knowledge.h"
#include "tune/tuner.h"

namespace tailwave {

// What the searches of one command have in common.
struct Tuning {
  const Experiment& experiment;
  MeasureSettings searching, final, confirming;  // confirming: that a single leader was not luck
  Team& team;
  ResultStore& store;
  const RunRecord& environment;
  const TuneOptions& options;
  SearchProgress& progress;
  ProblemSpaces spaces;                // of the whole experiment
  std::optional<ProblemSpaces> share;  // of a shard: what it searches of them
  std::vector<ProblemSpaces> others;   // of variants of other kinds (kTargetsByRank), which are not searched
  std::size_t configurations = 0;      // at least; of all problems and targets, less the impossible

  [[nodiscard]] const std::vector<ProblemSpace>& searched() const {
    return share ? share->spaces : spaces.spaces;
  }
};

// Searches one problem, stores the search and measures the leaders again. See tune_experiment().
// `prior` may be null.
SearchSummary search_problem(Tuning& tuning, const ProblemSpace& space, const LaunchKnowledge& knowledge,
                             const PriorCosts* prior, SearchStart start);

}  // namespace tailwave
