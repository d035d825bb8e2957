#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/artifact.h"
#include "device/executor.h"
#include "measure/measurer.h"
#include "occupancy/device_spec.h"
#include "spec/experiment.h"
#include "store/result_store.h"

namespace tailwave {

// The compilers and executors of a run. Not owned.
struct Toolchain {
  Compiler* kernels = nullptr;  // makes cuda variants run on `device`
  Compiler* host = nullptr;     // host variants and the reference
  Compiler* planner =
      nullptr;  // compiles cuda variants for occupancy where `kernels` makes no cubin; may be null
  Executor* device = nullptr;                  // runs cuda variants
  Executor* host_device = nullptr;             // runs host variants; the same as `device` on a CPU run
  Executor* reference_device = nullptr;        // runs the reference: no variant can damage its process
  std::optional<DeviceSpec> occupancy_device;  // what occupancy is computed for
};

// Told what a run is doing. Seam for the terminal.
class Progress {
 public:
  virtual ~Progress() = default;
  // `reused`: already in the database; `left_out`: ruled out on this device.
  virtual void started(std::size_t to_do, std::size_t reused, std::size_t left_out) = 0;
  virtual void built(std::size_t done, std::size_t to_do) = 0;
  virtual void finished(const Trial& trial, std::size_t done, std::size_t to_do) = 0;
};

struct PipelineOptions {
  bool fresh = false;  // measure again what is already there
  std::string filter;  // regular expression on Configuration::name(); empty: all
  unsigned build_threads = 1;
  std::function<bool()> stop_requested = [] { return false; };
};

struct RunSummary {
  std::int64_t run = 0;
  std::size_t reused = 0, left_out = 0;
  std::map<Outcome, std::size_t> outcomes;
  bool interrupted = false;
};

// What makes two trials the same measurement: the build (source, headers, defines, options, compiler), launch
// plan, inputs, reference (its build too) and tolerance, problem, work, metric, sampling settings, the device, and
// the one that occupancy is computed for ("": none).
std::string trial_key(const std::string& build_key, const std::string& reference_key,
                      const Experiment& experiment, const Configuration& configuration,
                      const DeviceDescription& device, const std::string& occupancy_device);

DeviceRecord device_record(const DeviceDescription& device);

// The experiment's published rows as they are stored, in SI units.
std::vector<PublishedValue> published_values(const Experiment& experiment);

// Runs an experiment: enumerates, leaves out what the database has, builds everything in parallel, then
// verifies and measures one configuration after the other and stores each trial before the next starts.
// `environment` describes the run except for what the experiment says itself. Throws ExpressionError or Error
// for what no configuration can survive (a reference that does not run, a database that cannot be written).
RunSummary run_experiment(const Experiment& experiment, const Toolchain& tools, ResultStore& store,
                          RunRecord environment, const PipelineOptions& options, Progress& progress);

}  // namespace tailwave
