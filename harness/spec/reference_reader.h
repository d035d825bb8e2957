#pragma once

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// The reference variant and what is compared with its results. Needs the system's problem, buffers and variants.
void read_reference(const Json& reference, System& system, Reporter& reporter);

}  // namespace tailwave
