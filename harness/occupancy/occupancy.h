#pragma once

#include "core/trial.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// Why this launch cannot run on this device ("1025 threads a block exceed the 1024 that the device allows"), or
// "". Looks at grid, block, __launch_bounds__, registers and shared memory; dynamic shared memory beyond what a
// block gets by default counts as opted into.
std::string launch_obstacle(const DeviceSpec& device, const KernelResources& kernel, const Dim3& grid,
                            const Dim3& block, std::int64_t dynamic_shared_bytes);

// Whether this build has cuda_occupancy.h; for a device, whether that knows its compute capability.
bool occupancy_available();
bool occupancy_available(const DeviceSpec& device);

// Why it is not, for people.
std::string why_no_occupancy(const DeviceSpec& device);

// Theoretical occupancy by NVIDIA's cuda_occupancy.h. All zero when launch_obstacle is not empty.
// The carve-out is assumed to be the largest the kernel can use (the driver's default preference). A resource
// that the kernel does not use limits no more than the number of block slots: its limit is then limit_blocks.
// Barriers limit from compute capability 9.0 on. Throws Error when occupancy_available() is false and for a
// device that cuda_occupancy.h does not know (before 3.0).
Occupancy compute_occupancy(const DeviceSpec& device, const KernelResources& kernel, const Dim3& block,
                            std::int64_t dynamic_shared_bytes);

// Formulas in core/trial.h. Throws std::invalid_argument unless blocks_per_sm, or the number of slots, is positive.
Waves compute_waves(const DeviceSpec& device, const Dim3& grid, int blocks_per_sm);
Waves waves_of_slots(const DeviceSpec& device, std::int64_t blocks, std::int64_t slots);

}  // namespace tailwave
