#pragma once

#include "spec/experiment.h"

namespace tailwave {

// Whether a variant of the experiment, where it names none any of its system, launches something on another GPU than the
// run's, or has memory there. Variants with processing elements have processes of their own.
bool has_other_gpus(const Experiment& experiment);

}  // namespace tailwave
