#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/search.h"

namespace tailwave {

// A space whose every configuration was measured, to search in without measuring.
struct RecordedSpace {
  std::string name;    // "convolution_milo-A4000"
  std::string device;  // as it was recorded
  SearchSpace space;
  std::vector<double> costs;  // by point; kFailed where it did not run
  // What could be known without measuring; may be empty. The impossible is no part of statistics: it costs no
  // evaluation.
  Knowledge knowledge;
  std::shared_ptr<const PriorCosts> prior = {};  // of another space; may be none
  // Of one that is from a database: where a run has not come to its end, configurations may be missing unnoticed.
  std::string experiment = {};  // "nbody/tuning"; else empty
  std::size_t unmeasured = 0;   // configurations that the experiment has and nobody measured
  bool finished = true;         // the latest run came to its end
};

// What scores need to know of a recorded space, after Willemsen et al., "A methodology for comparing optimization
// algorithms for auto-tuning". A configuration that failed counts as an evaluation that found nothing.
struct SpaceStatistics {
  double optimum = 0, median = 0, worst = 0;  // of those that ran
  std::size_t failed = 0;
  // Evaluations after which random search is expected to have found a cost at most 5 % of (median - optimum) above the
  // optimum.
  std::size_t budget = 0;
  // [t - 1]: the expected lowest cost of t random draws without replacement, t = 1..budget. A failed draw counts as the
  // worst cost.
  std::vector<double> baseline;
};

// Throws Error for a space in which nothing ran, or all costs are the same.
SpaceStatistics analyse(const RecordedSpace& recorded);

// The lowest cost after each of `evaluations` evaluations by a strategy; kFailed as long as nothing ran. Shorter
// where the space is exhausted or `stop_requested` says so, which is asked before each batch: so many points
// (fewer where the strategy waits for what it asked for) that are all asked for before the first of them is told, as by
// several devices.
std::vector<double> replay(
    const RecordedSpace& recorded, const StrategyKind& kind, const StrategyOptions& options,
    std::uint64_t seed, std::size_t evaluations,
    const std::function<bool()>& stop_requested = [] { return false; }, std::size_t batch = 1);

// The mean over t = 1..budget of (baseline(t) - best(t)) / (baseline(t) - optimum): 0 as random search does, 1 with the
// optimum at once. `bounded`: each term at least -1 (and at most 1, which it is anyway). Where the baseline is
// the optimum, a term is 0 or, if best(t) is worse, -1. Until something ran, best(t) is the worst cost.
struct Score {
  double mean = 0, bounded = 0;
};
Score score(const SpaceStatistics& statistics, const std::vector<double>& best);

}  // namespace tailwave
