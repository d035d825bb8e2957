#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "build/artifact.h"
#include "core/trial.h"
#include "device/executor.h"
#include "measure/backlog.h"
#include "measure/reference.h"
#include "occupancy/device_spec.h"
#include "spec/experiment.h"
#include "verify/compare.h"

namespace tailwave {

// One configuration ready to be measured.
struct Job {
  const Experiment* experiment = nullptr;
  Configuration configuration;
  Artifact artifact;
  std::vector<KernelResources> resources;      // for occupancy; empty for a host variant
  std::optional<DeviceSpec> occupancy_device;  // what offline occupancy is computed for
};

// The resources are those of the artifact.
Job make_job(const Experiment& experiment, Configuration configuration, Artifact artifact,
             std::optional<DeviceSpec> occupancy_device);

// The launches of a configuration with resources, occupancy and waves as far as they are known. A launch that
// the device cannot run has resources but no waves; so has one on a device that occupancy is not available for.
std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device);

// Why no launch of the plan could run on the device, or "".
std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device);

// The work quantities of the system for a scope; throws Error when one cannot be evaluated.
Values evaluate_work(const System& system, const Values& scope);

// One turn of a configuration at the device.
struct Turn {
  int repetition = 0;
  bool first = true;  // describes the launches and verifies before timing
  bool last = true;   // verifies after timing, with inputs not seen before
  std::int64_t first_sequence = 0;
  std::optional<double> race_to_ns;  // see SamplingPlan
};

// Verifies before timing, samples, verifies after timing. Fills outcome, detail, launches, samples, verifications,
// work, timer, mode and stopped_by of a trial; samples stay empty unless the outcome is `correct`. Never throws
// Failure: that becomes the outcome.
//
// With a backlog, results are compared when that is worked off, and a trial is finished only then: until then it and
// its job have to stay where they are. One that turns out to be wrong has been timed for nothing.
class Measurer {
 public:
  Measurer(Executor& executor, ReferenceProvider& reference, Backlog* backlog = nullptr)
      : executor_(executor), reference_(reference), backlog_(backlog) {}

  // All of it in one turn.
  Trial measure(const Job& job);
  // A trial's turns, in order; `trial` begins as new_trial(job). A trial that is no longer correct has no more.
  void take_turn(const Job& job, Trial& trial, const Turn& turn);

  // Of all turns so far, without what was done while the device worked.
  [[nodiscard]] const PhaseTimes& phases() const { return phases_; }

 private:
  void try_turn(const Job& job, Trial& trial, const Turn& turn);
  using Comparisons = std::map<std::string, ResolvedComparison>;  // by buffer
  // Of what was uploaded. Returns the wall-clock time in seconds of a run with what prepares it.
  double verify(const Job& job, Program& program, Workspace& workspace, Trial& trial,
                const Comparisons& comparisons, std::uint64_t draw);
  // What a verification's buffers have in common.
  struct Check {
    std::string phase;
    ReferenceProvider::Expected expected;
  };
  void compare_buffer(const System& system, Trial& trial, const Check& check, const std::string& buffer,
                      const ResolvedComparison& comparison, std::span<const std::byte> actual);
  // At once without a backlog.
  void later(std::function<void()> work);
  // `begin` comes first, see Subject.
  void take_samples(const Job& job, Program& program, Workspace& workspace, Trial& trial, const Turn& turn,
                    const std::function<std::optional<double>()>& begin);
  void ask_driver(Program& program, Trial& trial);

  Executor& executor_;
  ReferenceProvider& reference_;
  Backlog* backlog_;
  InputCache inputs_;
  PhaseTimes phases_;
};

Trial new_trial(const Job& job);

}  // namespace tailwave
