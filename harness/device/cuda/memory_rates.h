#pragma once

#include <memory>

#include "device/cuda/context.h"
#include "device/executor.h"

namespace tailwave {

// The copy is the driver's, of 256 MiB from one buffer to another; reads and writes are those of a kernel, of 256 MiB
// and, for L2, again and again of a quarter of it. Each is the best of several times between two events. Throws
// Failure.
MemoryRates measure_memory_rates(const std::shared_ptr<Context>& context, CUstream stream);

}  // namespace tailwave
