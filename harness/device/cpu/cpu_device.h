#pragma once

#include "device/executor.h"

namespace tailwave {

// Makes a CpuExecutor in a worker process, which a kernel or host variant that crashes, exits, hangs or fills the
// memory ends: its outcome is then `crashed` or `timeout`. The process may use most of the memory that is free when
// it starts, and is the first that the system ends when memory runs out. It is confined as
// code of the host is (core/sandbox.h). `cores` as for CpuExecutor.
ExecutorFactory cpu_device(int cores = 0);

}  // namespace tailwave
