#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/device.h"
#include "core/members.h"
#include "core/trace.h"
#include "core/trial.h"
#include "store/database.h"
#include "store/regime_store.h"
#include "store/run_status.h"

namespace tailwave {

// One invocation: experiment x device x environment. Times are UTC, ISO 8601.
struct RunRecord {
  std::string identity;  // see begin_run(); empty: it gets one
  std::string experiment;
  std::string system;
  std::string question;
  std::string metric;             // "interactions_per_second"
  std::string metric_expression;  // where it is an expression: its text
  std::string metric_unit;        // of the expression; may be empty
  bool maximise = true;
  std::string spec_file;
  std::string spec_hash;
  std::string spec_text;
  std::string system_hash;  // of manifest and sources; empty: not known
  std::string shard;        // "2/6" (core/shard.h); empty: the whole
  std::string defaults =
      {};  // JSON text: of each variant its parameters as the manifest has them; may be empty
  bool fresh = false;
  std::string started_at;
  std::string host;     // CPU model, cores, OS
  std::string machine;  // its name in the network; empty: not known
  std::string driver;
  std::string compiler;  // NVRTC version
  std::string host_compiler;
  std::string commit;  // of the project, "-dirty" appended where it is; empty outside git
  std::string tailwave_version;
  std::string
      sandbox;  // what confined compilers and kernels, as sandbox_of_this_system() says; empty: not known
  std::string
      clocks;  // JSON text: what was read of clocks, temperature, throttling at the start; may be empty
  std::string occupancy_device;                // device that offline occupancy was computed for
  std::optional<std::int64_t> configurations;  // of the whole experiment, where the run took a part
  std::optional<std::int64_t> seed;            // of the order of configurations
  std::optional<std::int64_t> draw;            // of the random inputs that were verified, the first of two

  static constexpr auto members() {
    // All of a recording is of one experiment of one system; clocks are an object there, and text here.
    return std::tuple{member<kMayBeAbsent>("identity", &RunRecord::identity),
                      member<kNotJson>("experiment", &RunRecord::experiment),
                      member<kNotJson>("system", &RunRecord::system),
                      member("question", &RunRecord::question),
                      member("metric", &RunRecord::metric),
                      member<kMayBeAbsent>("metric_expression", &RunRecord::metric_expression),
                      member<kMayBeAbsent>("metric_unit", &RunRecord::metric_unit),
                      member("maximise", &RunRecord::maximise),
                      member("spec_file", &RunRecord::spec_file),
                      member("spec_hash", &RunRecord::spec_hash),
                      member("spec_text", &RunRecord::spec_text),
                      member<kMayBeAbsent>("system_hash", &RunRecord::system_hash),
                      member<kMayBeAbsent>("shard", &RunRecord::shard),
                      member<kMayBeAbsent>("defaults", &RunRecord::defaults),
                      member("fresh", &RunRecord::fresh),
                      member("started_at", &RunRecord::started_at),
                      member("host", &RunRecord::host),
                      member<kMayBeAbsent>("machine", &RunRecord::machine),
                      member("driver", &RunRecord::driver),
                      member("compiler", &RunRecord::compiler),
                      member("host_compiler", &RunRecord::host_compiler),
                      member("project_commit", &RunRecord::commit),
                      member("tailwave_version", &RunRecord::tailwave_version),
                      member<kMayBeAbsent>("sandbox", &RunRecord::sandbox),
                      member<kNotJson | kMayBeAbsent>("clocks", &RunRecord::clocks),
                      member("occupancy_device", &RunRecord::occupancy_device),
                      member("configurations", &RunRecord::configurations),
                      member("seed", &RunRecord::seed),
                      member("draw", &RunRecord::draw)};
  }
};

// What was found of a configuration.
struct StoredResult {
  Outcome outcome = Outcome::correct;
  std::optional<double> median_ns;    // of the samples that count
  std::optional<double> value;        // of the first of its metrics (trial_metric); none where it has none
  std::optional<double> at_least_ns;  // see Trial
  Values work;
  std::string same_as;  // the configuration whose result it is; "": its own
};

// Of a configuration that has repetitions to come; contents are the caller's.
struct UnfinishedTrial {
  int repetitions = 0;  // so far
  std::string contents;
};

struct PublishedValue {
  std::string study, device;
  std::string quantity;  // a metric name: "time" or "<work quantity>_per_second"
  std::string unit;      // as published, e.g. "1e9/s"; for display
  std::string variant;
  Values parameters;
  double value = 0;  // SI
  std::string invalid, note;

  static constexpr auto members() {
    // Published values are replaced together: what they are of stands beside them.
    return std::tuple{member("study", &PublishedValue::study),
                      member("device", &PublishedValue::device),
                      member("quantity", &PublishedValue::quantity),
                      member("unit", &PublishedValue::unit),
                      member("variant", &PublishedValue::variant),
                      member("parameters", &PublishedValue::parameters),
                      member("value", &PublishedValue::value),
                      member<kMayBeAbsent>("invalid", &PublishedValue::invalid),
                      member<kMayBeAbsent>("note", &PublishedValue::note)};
  }
};

// Writes runs and trials; searches, observations and simulations have headers of their own. One transaction per call;
// killed at any moment, the database holds whole trials only.
//
// `system` may be left empty where an experiment's name is unique; two systems may well have a `block_size` each.
class ResultStore {
 public:
  explicit ResultStore(Database& database) : database_(database) {}

  [[nodiscard]] Database& database() const { return database_; }

  // A run does not begin before those of its experiment and device that are there already, whatever the clock says:
  // by when they began, and in the same second by their identities, it is decided which trials count.
  // `plan`: all configurations that the experiment has now, or of a shard its own, measured or not; trials of others are
  // no longer current, but see run_plan in the schema.
  // With `regimes` it is a run that measures in these: none of its trials counts for the experiment.
  std::int64_t begin_run(const RunRecord& run, const DeviceDescription& device,
                         const std::vector<Configuration>& plan = {},
                         const std::vector<RegimeRecord>& regimes = {});
  void finish_run(std::int64_t run, RunStatus status, const std::string& finished_at);
  // As `failed`, after an error that may be the database's own: waits for nobody and reports nothing.
  void give_up_run(std::int64_t run, const std::string& finished_at) noexcept;

  // Of the trials that count (view current_trial), with the keys that they had.
  std::vector<std::pair<Configuration, std::string>> current_keys(const std::string& system,
                                                                  const std::string& experiment,
                                                                  const DeviceDescription& run_device);
  // Trials that a resumed run need not repeat, by key: those of runs of this experiment on this device (the
  // run's device: cuda:0's name) since, and including, the last one that was started with --fresh. Imported
  // runs do not count: what was recorded elsewhere is measured here nevertheless. Nor does what was killed from outside
  // (core/outcome.h), and what was not built within a deadline of less than `build_deadline_s` (0: whatever it was).
  std::map<std::string, std::int64_t> finished_trials(const std::string& experiment,
                                                      const DeviceDescription& run_device,
                                                      const std::string& system = "",
                                                      double build_deadline_s = 0);

  // `device` is where the trial ran: the run's device, or the host for a host variant of a GPU run. Samples,
  // timer and stopping reason of a trial that is not correct are left out. Throws Error for a configuration that
  // the run has already.
  std::int64_t add_trial(std::int64_t run, const DeviceDescription& device, const Trial& trial);

  // Instead of what there is of this key in this run; add_trial() of the key removes it. `program`: see
  // program_identity().
  void keep_unfinished(std::int64_t run, const std::string& key, const std::string& program,
                       const UnfinishedTrial& trial);
  // By key, the latest of each, of all runs.
  std::map<std::string, UnfinishedTrial> unfinished_trials(const std::string& program);

  // The trial of a configuration in a run, or in one of its regimes; none where the run has none.
  std::optional<std::int64_t> trial_of(std::int64_t run, const Configuration& configuration,
                                       const std::string& regime = "");

  // Of the trial itself.
  Outcome outcome_of(std::int64_t trial);
  // Of a trial, or of the one that it is identical to.
  StoredResult result_of(std::int64_t trial);
  // The hash of its GPU's machine code; "" where there is none.
  std::string machine_code_of(std::int64_t trial);

  // Configurations that have a trial of this experiment on this device.
  std::vector<Configuration> known_configurations(const std::string& experiment,
                                                  const DeviceDescription& run_device,
                                                  const std::string& system);

  // Where the run's time went; `total_s` is its wall-clock time.
  void set_phases(std::int64_t run, const PhaseTimes& phases, double total_s);

  // Samples of a configuration that the run measures in every block, on this device.
  void add_drift(std::int64_t run, const DeviceDescription& device, const Configuration& configuration,
                 int block, const std::vector<Sample>& samples);

  // Replaces the published values of the experiment.
  void set_published(const std::string& experiment, const std::vector<PublishedValue>& values,
                     const std::string& system = "");

  // Replaces what a system's manifest names as main, by variant; see VariantSpec.
  void set_main_kernels(const std::string& system,
                        const std::map<std::string, std::vector<std::string>>& kernels);

  // Replaces what a system's manifest requires of problem and parameters, by variant; see VariantSpec.
  void set_domains(const std::string& system, const std::map<std::string, std::string>& domains);

  // The rows of one self-test of a device; `run_at` is when it was, in UTC.
  void add_selftest(const DeviceDescription& device, const std::string& run_at,
                    const std::vector<Check>& checks);

 private:
  Database& database_;
};

}  // namespace tailwave
