#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/statistics.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// What the database knows of one experiment, in the shape that reports need. All of it comes from the views.

// Occupancy and waves of a configuration's main launch; see the view trial_waves.
struct WaveFacts {
  std::string occupancy_device;
  std::string kernel;
  std::int64_t grid = 0, block = 0;
  std::optional<std::int64_t> registers, blocks_per_sm, driver_blocks_per_sm, spill_bytes;
  std::string limiter;
  std::optional<double> occupancy, waves, tail_fraction;
};

struct StudyRow {
  std::int64_t trial_id = 0;
  std::string configuration;
  std::string variant;
  Values parameters, problem;
  std::string device, kind;  // where it ran
  std::string outcome, detail;
  std::optional<double> value;     // of the metric, SI units; none unless correct and timed
  std::optional<double> median_s;  // with its 95 % interval
  Interval interval_s;
  std::int64_t samples = 0;
  // Among the best of its device and problem (core/bootstrap.h, margin 1 %): how many those are, itself included;
  // 0 when it is not.
  std::int64_t tied = 0;
  std::optional<WaveFacts> waves;
  // The tightest limit of the manifest, and which share of its speed was reached; none without a limit or a time.
  std::string limit;
  std::optional<double> limit_share;

  [[nodiscard]] bool correct() const { return outcome == "correct"; }
};

struct PublishedFigure {
  std::string variant;
  Values named;  // the parameters it names
  std::string device, study, quantity;
  double value = 0;
  std::optional<double> ours, ratio;
  std::int64_t trial_id = 0;  // of ours; 0: there is none
  std::int64_t fitting = 0;   // configurations that fit it; ours is the best of them
  std::string outcome, invalid, note;
};

// The runs of an experiment on one device.
struct DeviceStudy {
  std::string device, kind;
  std::vector<StudyRow> rows;  // by variant, problem and parameters, numbers in their order
  std::vector<PublishedFigure> published;
  std::vector<std::pair<std::string, std::string>> environment;  // of the latest run that contributed
  std::int64_t runs = 0;                                         // that contributed
  std::string recorded_from;                                     // file of the latest run, when imported
  // For each problem, in the order of problems, the best correct row of those that ran on this device itself; of all rows
  // when none did on any problem. Without problems that have no time.
  [[nodiscard]] std::vector<const StudyRow*> best_of_problems() const;
  [[nodiscard]] std::size_t correct() const;
  // Not so for the host variants of a GPU's run, which say nothing of the GPU.
  [[nodiscard]] bool ran_here(const StudyRow& row) const { return row.device == device && row.kind == kind; }

  bool maximise = true;
};

struct Study {
  std::string system, experiment, question, metric;
  bool maximise = true;
  std::vector<DeviceStudy> devices;  // GPUs first, then by name

  [[nodiscard]] std::string name() const { return system + "/" + experiment; }
};

// Experiments that have trials, sorted. `wanted` names some ("shared_block_stride" or "nbody/shared_block_stride");
// empty: all. Throws Error (bad usage) for a name that has no trials, with a suggestion.
std::vector<Study> load_studies(Database& database, const std::vector<std::string>& wanted = {});

}  // namespace tailwave
