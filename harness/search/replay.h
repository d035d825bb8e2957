#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/search.h"

namespace tailwave {

// What a configuration took when it was recorded.
struct EvaluationSeconds {
  double build = 0;
  double measure = 0;  // with its verification
};

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
  std::vector<EvaluationSeconds> seconds = {};   // by point; empty: not recorded
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
  // Of the budget: what so many evaluations take in the mean of all configurations, one after the other. None: not recorded.
  std::optional<double> budget_seconds;
};

// Throws Error for a space in which nothing ran, or all costs are the same.
SpaceStatistics analyse(const RecordedSpace& recorded);

// How long a search goes on. A strategy is told that it has `evaluations`; where their recorded seconds do not yet reach
// `seconds`, it goes on until they do.
struct Horizon {
  std::size_t evaluations = 0;
  double seconds = 0;
};

// What a strategy evaluates, in its order. Ends early where the space is exhausted or `stop_requested` says so, which is
// asked before each batch: so many points (fewer where the strategy waits for what it asked for) that are all asked for
// before the first of them is told, as by several devices.
std::vector<Point> replay(
    const RecordedSpace& recorded, const StrategyKind& kind, const StrategyOptions& options,
    std::uint64_t seed, Horizon horizon, const std::function<bool()>& stop_requested = [] { return false; },
    std::size_t batch = 1);

// The lowest cost after each evaluation; kFailed as long as nothing ran.
std::vector<double> lowest_costs(const RecordedSpace& recorded, const std::vector<Point>& points);

// The same at each of `moments`, which ascend, in seconds since the search began: each point is told its cost at
// `told_s`, which ascend, too.
std::vector<double> lowest_costs_at(const RecordedSpace& recorded, const std::vector<Point>& points,
                                    const std::vector<double>& told_s, const std::vector<double>& moments);

// When the cost of each is told where they are built and measured one after the other. Needs recorded seconds.
std::vector<double> told_in_turn(const RecordedSpace& recorded, const std::vector<Point>& points);

// The mean over t = 1..budget of (baseline(t) - best(t)) / (baseline(t) - optimum): 0 as random search does, 1 with the
// optimum at once. `bounded`: each term at least -1 (and at most 1, which it is anyway). Where the baseline is
// the optimum, a term is 0 or, if best(t) is worse, -1. Until something ran, best(t) is the worst cost.
struct Score {
  double mean = 0, bounded = 0;
};
Score score(const SpaceStatistics& statistics, const std::vector<double>& best);

// score() over the budget's seconds: best(t) is the lowest cost that is known when t evaluations of mean length have ended,
// so baseline(t) stays what random search is expected to know then. Needs recorded seconds.
Score score_by_time(const RecordedSpace& recorded, const SpaceStatistics& statistics,
                    const std::vector<Point>& points);

}  // namespace tailwave
