#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/trial.h"
#include "device/executor.h"
#include "occupancy/device_spec.h"
#include "spec/system.h"

namespace tailwave {

// The launches of a configuration with resources, occupancy and waves as far as they are known. A launch that
// the device cannot run has resources but no waves; so has one on a device that occupancy is not available for. Clusters
// are those of the manifest or of the code. Throws Failure(launch_failed) where these differ or a grid has no whole
// number of them, and what launch_shapes() does.
std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device);

// What the device itself says of each launch's resident blocks an SM, in the order of describe_launches().
std::vector<std::optional<int>> resident_blocks(Executor& device, Program& program,
                                                const VariantSpec& variant, const Values& scope);

// Likewise, of its active clusters.
std::vector<std::optional<int>> active_clusters(Executor& device, Program& program,
                                                const VariantSpec& variant, const Values& scope);

// Likewise, what it says of the SMs of those that ask for some: Executor::granted_sms().
std::vector<std::optional<int>> granted_sms(Executor& device, const VariantSpec& variant,
                                            const Values& scope);

// The waves of a launch whose occupancy is known, on the SMs that it may use there, and by the clusters that are active
// there.
Waves waves_of(const LaunchRecord& launch, const DeviceSpec& device);

// The SMs that it may use on the device that ran it: those granted, all unless it asked for some. On the CPU device, the
// cores.
int sms_of(const LaunchRecord& launch, const DeviceDescription& device);

// Why the launch could not run on the device, as far as its resources are known, or "".
std::string launch_obstacle(const LaunchRecord& launch, const DeviceSpec& device);

// Why no launch of the plan could run on the device, or "".
std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device);

// Throws Failure for a plan whose arguments or buffers cannot be evaluated, or that needs more memory than any machine
// has. Asked before the reference, whose failure would say nothing of the configuration.
void refuse_impossible_plan(const System& system, const VariantSpec& variant, const Values& scope);

// The work quantities of the system for a scope; throws Failure for one that cannot be evaluated, is no number, is less
// than 0 or so large that rates have no meaning.
Values evaluate_work(const System& system, const Values& scope);

}  // namespace tailwave
