#pragma once

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// The time limits of an execution; work that they name is substituted. Needs the system's problem, variants and work.
void read_limits(const Json& limits, System& system, Reporter& reporter);

}  // namespace tailwave
