#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/measurer.h"
#include "spec/experiment.h"
#include "store/result_store.h"
#include "tune/pipeline.h"
#include "tune/regime_finalists.h"

namespace tailwave {

struct RegimeOptions {
  std::vector<Regime> regimes;  // the experiment's own is measured too
  std::size_t most_finalists = kMostFinalists;
  bool fresh = false;  // measure again what is already there
  unsigned build_processes = 1;
  std::uint64_t seed = 1;  // of the order in which finalists are measured
  std::function<bool()> stop_requested = [] { return false; };
};

struct RegimeSummary {
  std::optional<std::int64_t> run;          // that measured; none: nothing had to be
  std::vector<ProblemFinalists> problems;   // of the experiment that have a correct configuration
  std::size_t reused = 0;                   // of these, with results from before
  std::map<Outcome, std::size_t> outcomes;  // of what it measured: finalists times regimes
  PhaseTimes phases;
  double total_s = 0;
  bool interrupted = false;
};

// Measures the best configurations of each problem (choose_finalists(), of what the database has of the experiment on
// this device) again in each regime, in a run of its own whose trials count for nothing else. A problem with a single
// finalist is left out: there is nothing to compare.
//
// Finalists and regimes are interleaved: in each repetition, of which there are as many as the experiment has and at
// least kFewestRepetitions, every pair of a finalist and a regime has a turn, in an order of its own that the seed
// decides. Every pair is verified as any configuration, on the regime's own inputs, and samples are taken as the
// experiment says, but at least as many as an interval takes.
//
// What cannot be measured has an outcome and a reason there, and the run goes on: a graph of a plan with a loop that
// ends on a value or on the CPU, inputs that the reference cannot compute. A problem is stored once all of its pairs
// are done. What a stopped run has of another one is where the next one goes on. A problem whose latest such run had the
// same finalists, regimes and settings is not measured again.
//
// Throws as run_experiment().
RegimeSummary measure_regimes(const Experiment& experiment, Measurer& measurer, ResultStore& store,
                              const RunRecord& environment, const RegimeOptions& options, Progress& progress);

}  // namespace tailwave
