#pragma once

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// Reads "work" into system.work. A quantity may name others; those are substituted, and a cycle is reported as
// "cyclic: a -> b -> a".
void read_work(const Json& work, System& system, Reporter& reporter);

}  // namespace tailwave
