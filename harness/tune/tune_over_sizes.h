#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/over_sizes.h"
#include "tune/tuner.h"

namespace tailwave {

// What searches know, as a table: a row for each of the configurations that are among the best anywhere. What was not
// evaluated on a problem is guessed to be as many times slower than the best there as the one that shares most
// parameters with it.
struct GuessedSizes {
  std::vector<Configuration> configurations;  // without a problem
  std::vector<SizeRatios> ratios;             // by problem, in the order of the summaries
};

// `has`: whether the experiment has this one. What failed in a search is left out.
GuessedSizes guess_over_sizes(const std::vector<SearchSummary>& searches,
                              const std::function<bool(const Configuration&)>& has);

// What is worth measuring on all problems: the leaders of each, at most so many; what would be kept by the guesses; and as
// many of the best single ones by them. `weights`: by summary.
std::vector<Configuration> candidates_over_sizes(const std::vector<SearchSummary>& searches,
                                                 const GuessedSizes& guessed, std::size_t most_leaders,
                                                 const std::vector<double>& weights,
                                                 const OverSizesOptions& options);

struct OverSizesSummary {
  std::optional<std::int64_t> run;  // that measured; none: no search has anything that ran
  std::size_t candidates = 0;       // measured on all problems that have them
  OverSizes answer;
  PhaseTimes phases;
  double total_s = 0;
  bool interrupted = false;
};

// After a search on each problem: measures the candidates on all problems, interleaved, in a run of their own, as leaders
// are measured again, and chooses among these. The weights are those of the experiment's sizes. Throws as
// run_experiment().
OverSizesSummary tune_over_sizes(const Experiment& experiment, Measurer& measurer, ResultStore& store,
                                 const RunRecord& environment, const TuneOptions& options,
                                 OverSizesOptions over, const std::vector<SearchSummary>& searches,
                                 Progress& progress);

}  // namespace tailwave
