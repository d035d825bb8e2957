#pragma once

#include <memory>

#include "device/cuda/context.h"

namespace tailwave {

// Bytes read and written a second when the driver copies 256 MiB on the device, from one buffer to another: the
// median of several times of a few copies back to back, between two events. Throws Failure.
double measure_copy_bandwidth(const std::shared_ptr<Context>& context, CUstream stream);

}  // namespace tailwave
