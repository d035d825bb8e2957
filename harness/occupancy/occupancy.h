#pragma once

#include "core/trial.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// Why this launch cannot run on this device ("1025 threads a block exceed the device's 1024"), or "".
std::string launch_obstacle(const DeviceSpec& device, const KernelResources& kernel, const Dim3& grid,
                            const Dim3& block, std::int64_t dynamic_shared_bytes);

// Theoretical occupancy by NVIDIA's cuda_occupancy.h. All zero when launch_obstacle is not empty.
// The carve-out is assumed to be the largest the kernel can use (the driver's default preference).
Occupancy compute_occupancy(const DeviceSpec& device, const KernelResources& kernel, const Dim3& block,
                            std::int64_t dynamic_shared_bytes);

// Formulas in core/trial.h. blocks_per_sm must be positive.
Waves compute_waves(const DeviceSpec& device, const Dim3& grid, int blocks_per_sm);

}  // namespace tailwave
