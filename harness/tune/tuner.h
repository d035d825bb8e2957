#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/external.h"
#include "search/strategy.h"
#include "spec/experiment.h"
#include "store/result_store.h"
#include "tune/budget.h"
#include "tune/known_elsewhere.h"
#include "tune/pipeline.h"

namespace tailwave {

struct TuneOptions {
  const StrategyKind* strategy = nullptr;
  StrategyOptions options;  // complete
  SearchBudget budget;      // of all problems together; neither evaluations nor seconds: default_budget()
  std::optional<StopTerms> until;  // of each problem; none: only the budget ends a search
  StartSource start;
  Shard shard;  // of the configurations; a problem of which it has none is not searched
  std::uint64_t seed = 1;
  bool fresh = false;           // measure again what is already there
  bool ordered = false;         // measure in the order of asking, whatever is built first
  std::size_t final_count = 5;  // leaders that are measured again at most; 0: none
  unsigned build_processes = 1;
  std::function<bool()> stop_requested = [] { return false; };
};

// What a search begins with.
struct SearchStart {
  std::size_t number = 1, problems = 1;  // of so many problems that the experiment has
  Values problem;
  Count space_size;
  // Known from the start to be so, where all are listed, and of one the reason.
  std::size_t impossible = 0;
  std::string why_impossible;
  SearchBudget budget;      // its share
  std::string begins_with;  // as KnownElsewhere says it; empty: nothing is known elsewhere
  // Of the experiment, on this device.
  std::size_t left_out_on_cpu = 0;  // by devices.cpu.constraints
  Count left_out_of_others;         // of variants of other kinds, whose times are not compared with these
};

// Seam for the terminal. A budget in seconds has no number of evaluations: `to_do` of finished() is then 0.
class SearchProgress : public Progress {
 public:
  virtual void search_started(const SearchStart& start) = 0;
};

struct SearchSummary {
  SearchStart start;
  std::int64_t run = 0;
  std::optional<std::int64_t> final_run;    // in which the leaders were measured again
  std::size_t evaluations = 0, reused = 0;  // reused: with a result from before
  std::map<Outcome, std::size_t> outcomes;  // of the others
  // Of what was measured again, or of the search where nothing was; none: nothing ran.
  std::optional<Configuration> best;
  double best_value = 0;    // of the metric in SI units, as the search saw its best
  std::size_t leaders = 0;  // within kLeaderShare of the best, itself included
  std::size_t measured_again = 0;
  // All of them with the costs that were told, as told; what has the code of another one is left out, and what was given up
  // has failed.
  std::vector<std::pair<Configuration, double>> evaluated;
  SearchEnd stopped_by = SearchEnd::budget;
  // What one of the next Outlook::kAhead evaluations might have gained, and how probably; none: nothing ran, or not so many are left.
  std::optional<StopTerms> outlook;
  PhaseTimes phases;
  double total_s = 0, final_s = 0;
  std::string weak_reference;              // of the run, see ReferenceProvider::take_weakness
  std::optional<StrategyFailure> failure;  // after which nothing more was asked for
};

// What is slower than the best by at most this share is a leader.
inline constexpr double kLeaderShare = 0.05;

// With which leaders are measured again: in blocks, and all of them to the end.
MeasureSettings final_settings(MeasureSettings settings);

// Searches the configurations of an experiment: for each problem a search of its own, which gets an equal share of the
// budget (in seconds, of what is left). Of an experiment with kernels only these are searched.
//
// Configurations are asked for ahead of those measured, so that processes build meanwhile: with a budget of
// evaluations, an eighth as many as have been evaluated (at least 1, at most 32); with one of time, twice as many as
// there are processes. Whatever is built first is measured first. The order in which costs are told to the strategy
// decides what it asks for, and is stored: a search with the seed of an earlier one tells again what that told, in
// its order, before it goes on, and so continues one that was interrupted. With `ordered`, costs are told in the
// order of asking, so that the same seed and costs give the same search everywhere. A configuration is verified as in
// a run, and measured with as few samples as an interval needs, with more only as long as it may be among the best
// kLeaderShare; its cost is then the median of those. At no expense of device time are told: what is in the database
// already with the settings of a run, of a search or of final measurements; what has the same machine code and
// launches as one evaluated before; and, as failed, what a compiled kernel's registers or shared memory rule out on
// the device. All of these are evaluations of the budget; what is impossible by its launches alone is not, and is
// never asked for.
//
// A search ends with its budget, or before where `until` says that going on is not worth it.
//
// Of a shard its own configurations are searched, as if the others could not run, with a budget that is its own; what it
// stores of the sizes of spaces is of the whole experiment but for `space_size`. Gives nothing, and stores no run, where the
// shard has no configuration.
//
// At the end the `final_count` best leaders are measured again with the experiment's settings, in at least
// kFewestRepetitions random blocks, in a run of their own. Where the best of them is then slower by more than
// kLeaderShare than what the search saw of another configuration, that one and its like join them for another such
// run, at most three times, and so does what the database shows to be better than their best. A single leader has
// nothing to be compared with: one repetition shows whether it was luck.
//
// Where a strategy fails, what it had asked for is measured and the best so far again; problems after that one are not
// searched.
//
// Throws Error where no configuration is left to search, where the budget is less than an evaluation for each
// problem, and what run_experiment() throws.
//
// With several GPUs so many more points are asked for ahead, and leaders are measured again on the first one.
std::vector<SearchSummary> tune_experiment(const Experiment& experiment, Team& team, ResultStore& store,
                                           const RunRecord& environment, const TuneOptions& options,
                                           SearchProgress& progress);
std::vector<SearchSummary> tune_experiment(const Experiment& experiment, Measurer& measurer,
                                           ResultStore& store, const RunRecord& environment,
                                           const TuneOptions& options, SearchProgress& progress);

}  // namespace tailwave
