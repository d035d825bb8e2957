#pragma once

#include "device/cpu/block_runner.h"
#include "device/executor.h"

namespace tailwave {

// Checks a launch against the limits of current GPUs (compute capability 9.0; CUDA C++ Programming Guide, "Compute
// Capabilities"), so that what cannot run there is refused here too. Throws Failure(exceeds_device_limit) or, for an
// empty grid or block, Failure(launch_failed), "invalid configuration argument: ...". A cluster has up to 16 blocks, and a
// grid whole ones.
GridShape checked_shape(const Launch& launch);

}  // namespace tailwave
