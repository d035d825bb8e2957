#pragma once

#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// Tries the constraints of an otherwise good experiment: reports one that cannot be evaluated, and constraints
// that leave no configuration. Looks at the first 10 000 configurations only.
void check_enumeration(const Experiment& experiment, Reporter& reporter);

}  // namespace tailwave
