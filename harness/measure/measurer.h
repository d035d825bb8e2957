#pragma once

#include <optional>

#include "build/artifact.h"
#include "core/trial.h"
#include "device/executor.h"
#include "measure/reference.h"
#include "occupancy/device_spec.h"
#include "spec/experiment.h"

namespace tailwave {

// One configuration ready to be measured.
struct Job {
  const Experiment* experiment = nullptr;
  Configuration configuration;
  Artifact artifact;
  std::vector<KernelResources> resources;      // for occupancy; empty for a host variant
  std::optional<DeviceSpec> occupancy_device;  // what offline occupancy is computed for
};

// The launches of a configuration with resources, occupancy and waves as far as they are known. A launch that
// the device cannot run has resources but no waves.
std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device);

// Why no launch of the plan could run on the device, or "".
std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device);

// The work quantities of the system for a scope; throws Error when one cannot be evaluated.
Values evaluate_work(const System& system, const Values& scope);

// Verifies before timing, samples, verifies after timing with inputs not seen before. Fills outcome, detail,
// launches, samples, verifications, work, timer, mode and stopped_by of a trial; samples stay empty unless
// the outcome is `correct`. Never throws Failure: that becomes the outcome.
class Measurer {
 public:
  Measurer(Executor& executor, ReferenceProvider& reference) : executor_(executor), reference_(reference) {}

  Trial measure(const Job& job);

 private:
  Trial try_configuration(const Job& job);
  void verify(const Job& job, Program& program, Workspace& workspace, Trial& trial, std::uint64_t draw);
  void take_samples(const Job& job, Program& program, Workspace& workspace, Trial& trial);
  void ask_driver(Program& program, const Workspace& workspace, Trial& trial);

  Executor& executor_;
  ReferenceProvider& reference_;
};

}  // namespace tailwave
