#pragma once

#include "device/cuda/driver_api.h"
#include "device/executor.h"

namespace tailwave {

// What the driver says of a device. Properties have the names of DeviceSpec's members
// (occupancy/device_spec.h), in its units, and further: bus id, ECC, and the peak bandwidth computed as 2 x
// memory clock x bus width. Throws Error when the driver does not answer.
DeviceDescription describe_device(const DriverApi& api, int ordinal);

// "13.0 (580.159.04)": the CUDA version the driver supports and, where /proc tells, the kernel module's.
std::string driver_text(const DriverApi& api);

}  // namespace tailwave
