#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/trial.h"
#include "occupancy/device_spec.h"
#include "spec/system.h"

namespace tailwave {

// One of rate_names(), by a second; 0: not known. `copy_bandwidth` as Executor has it.
double device_rate(const std::string& name, const DeviceSpec& device,
                   const std::function<double()>& copy_bandwidth);

// The system's time limits for a scope on a GPU. A limit is left out when it is 0, or when a rate that it names is not
// known of the device. `copy_bandwidth` as Executor has it. Throws Failure(launch_failed) for one that cannot be
// evaluated.
std::vector<LimitRecord> time_limits(const System& system, const Values& scope, const DeviceSpec& device,
                                     const std::function<double()>& copy_bandwidth);

}  // namespace tailwave
