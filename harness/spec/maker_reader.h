#pragma once

#include <string>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// Where a buffer of the system is filled by a function: the host variant that calls it (System::makers). `fill` is the
// fill's place. Needs problem, buffers, variants and reference. Everything wrong is reported.
void read_maker(const std::string& buffer, const Json& fill, System& system, Reporter& reporter);

}  // namespace tailwave
