#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_factors.h"
#include "core/shard.h"
#include "measure/team.h"
#include "spec/experiment.h"
#include "store/result_store.h"

namespace tailwave {

// Told what a run is doing. Seam for the terminal.
class Progress {
 public:
  virtual ~Progress() = default;
  // `reused`: already in the database; `left_out`: ruled out on this device.
  virtual void started(std::size_t to_do, std::size_t reused, std::size_t left_out) = 0;
  // The share of all turns of all configurations that is behind.
  virtual void advanced(double share) = 0;
  virtual void finished(const Trial& trial, std::size_t done, std::size_t to_do) = 0;
  // Before started(): of what the experiment has, so many configurations are this shard's.
  virtual void shard_chosen(const Shard& /*shard*/, std::size_t /*own*/, std::size_t /*all*/) {}
  // Instead of started(): so many configurations are measured in so many regimes.
  virtual void regimes_started(std::size_t /*finalists*/, std::size_t /*regimes*/) {}
};

struct PipelineOptions {
  bool fresh = false;  // measure again what is already there
  std::string filter;  // see spec/select.h; empty: all
  Shard shard;         // of what the filter leaves; with an anchor, see run_experiment()
  // These alone, whatever the database has, and with several GPUs those of a problem on one of them; empty: all. The run's plan
  // is not stored.
  std::vector<Configuration> only;
  std::vector<GpuFactor> gpu_factors;      // of the run from the beginning, where an earlier one found them
  std::optional<MeasureSettings> measure;  // instead of the experiment's
  unsigned build_processes = 1;
  std::uint64_t seed = 1;  // of the order in which configurations are measured
  std::function<bool()> stop_requested = [] { return false; };
};

struct RunSummary {
  std::int64_t run = 0;
  std::size_t to_measure = 0, reused = 0, left_out = 0;
  std::size_t of_other_shards = 0;
  std::map<Outcome, std::size_t> outcomes, reused_outcomes;  // of what it measured, and of what it found
  // With a filter: current results of others that are of other code or settings than the experiment has now.
  std::size_t outdated = 0;
  PhaseTimes phases;
  double total_s = 0;
  std::vector<GpuFactor> gpu_factors;  // with several GPUs: of those that are left, beside the first
  std::optional<std::int64_t>
      leaders_run;             // in which leaders were measured again, those of a problem on one GPU
  std::size_t leaders = 0;     // so many
  std::string weak_reference;  // of the run, see ReferenceProvider::take_weakness
  bool interrupted = false;

  // What it was asked for, but for what is ruled out on the device.
  [[nodiscard]] std::size_t chosen() const { return to_measure + reused; }
};

// Runs an experiment: enumerates, leaves out what the database has, and measures the rest while processes build
// ahead, in random order and whatever is built first.
//
// Configurations of a problem follow one another in runs of kOfAProblem for each GPU, as far as there are so many, and the
// runs in random order; of what is built those of the run in hand come first. They are taken in groups of kGroup for each GPU; with several repetitions, each is a block in which
// every configuration of the group has a turn, in an order of its own, so that a drift of the device hits all alike. One configuration, the first that is correct, is measured again in every
// block, or after every group: its samples are the run's drift. A trial is stored after its last repetition, or the one that failed, while the
// device measures the next.
//
// With several GPUs each configuration is measured on whichever has room. The drift is then that of a few, in turns, on each of
// them, which tells how many times as long one takes as the first (gpu_factors()), and what has to be held beside others is
// divided by that. At the end the leaders of each problem, within kOneGpuShare of the best and as much as the factors leave
// open, are measured again in a run of their own, those of a problem on one GPU, so that which of these is the best is no
// matter of factors, unless a GPU is lost meanwhile.
//
// What has the same machine code, launches and problem as a configuration of the same run, or as one that the
// database has already, is not measured again: `skipped_identical`.
//
// Of a shard its own configurations are measured and stored as its plan. With kAnchorShare of them or more it measures
// the first of all, too, whosever it is: an anchor by which shards from several machines can be held beside each other.
//
// `environment` describes the run except for what the experiment says itself. Throws ExpressionError or Error
// for what no configuration can survive (a reference that does not run, a database that cannot be written).
inline constexpr std::size_t kGroup = 64;
inline constexpr std::size_t kOfAProblem = 16;
inline constexpr double kOneGpuShare = 0.03;
inline constexpr std::size_t kMostOnOneGpu = 16;  // leaders of a problem
inline constexpr std::size_t kAnchorShare = 10;
RunSummary run_experiment(const Experiment& experiment, Team& team, ResultStore& store,
                          const RunRecord& environment, const PipelineOptions& options, Progress& progress);
RunSummary run_experiment(const Experiment& experiment, Measurer& measurer, ResultStore& store,
                          const RunRecord& environment, const PipelineOptions& options, Progress& progress);

}  // namespace tailwave
