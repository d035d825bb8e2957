#pragma once

#include "spec/system.h"
#include "spec/t1/file.h"
#include "spec/t1/source.h"

namespace tailwave {

// KernelSpecification/Arguments: the system's buffers, their fills and what is compared; the launch's arguments, and
// the copies to constant memory that go before it. `source` is null where the kernel's file is not there.
void read_t1_arguments(const T1File& file, const T1Source* source, System& system, VariantSpec& variant,
                       LaunchSpec& launch);

}  // namespace tailwave
