#pragma once

#include <memory>

#include "device/remote_executor.h"

namespace tailwave {

// A CpuExecutor in a worker process of its own: a kernel or host variant that crashes, exits, hangs or fills the
// memory ends that process only, with the outcome `crashed` or `timeout`. The worker may use most of the memory that
// is free when it starts, and is the first that the system ends when memory runs out.
//
// `cores` as for CpuExecutor. To be called before other threads start.
std::unique_ptr<RemoteExecutor> open_cpu_device(int cores = 0);

}  // namespace tailwave
