#pragma once

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// The reference variant and what is compared with its results. Needs the system's problem, buffers and variants.
void read_reference(const Json& reference, System& system, Reporter& reporter);

// What is verified besides. Needs the same.
void read_verify(const Json& verify, System& system, Reporter& reporter);

// Whether its problems are some for each variant, with the defaults. Needs a system that is good but for that.
void check_verify(const Json& verify, const System& system, Reporter& reporter);

}  // namespace tailwave
