#pragma once

#include <optional>
#include <vector>

#include "core/trial.h"
#include "device/executor.h"
#include "occupancy/device_spec.h"
#include "spec/system.h"

namespace tailwave {

// The system's time limits for a scope on a GPU. A limit is left out when it is 0, or when a rate that it names is not known of the device,
// and all are for a CPU, where nobody knows them. Throws Failure(launch_failed) for one that cannot be evaluated; may throw
// what Executor::copy_bandwidth() throws.
std::vector<LimitRecord> time_limits(const System& system, const Values& scope, Executor& executor,
                                     const std::optional<DeviceSpec>& device);

}  // namespace tailwave
