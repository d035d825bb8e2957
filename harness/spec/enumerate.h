#pragma once

#include "space/large_space.h"
#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// Whether it has more configurations than kMostEnumerated, as far as they can be counted.
bool is_too_large(const Experiment& experiment, bool for_cpu_device);
[[noreturn]] void refuse_to_enumerate(const Experiment& experiment, const Count& count);

// Tries the constraints of an otherwise good experiment: reports one that cannot be evaluated, and constraints
// that leave no configuration. Looks at the first 10 000 configurations only; where they are hard to find, draws one.
void check_enumeration(const Experiment& experiment, Reporter& reporter);

}  // namespace tailwave
