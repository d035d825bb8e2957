#pragma once

#include "spec/experiment.h"

namespace tailwave {

// Whether a variant of the experiment, where it names none any of its system, launches something on another GPU than the
// run's, or has memory there. Variants with processing elements have processes of their own.
bool has_other_gpus(const Experiment& experiment);

// Whether one of the variants that the experiment names is such, and whether one has processing elements.
bool has_variant(const Experiment& experiment, bool (*is_wanted)(const VariantSpec&));
bool has_pes(const Experiment& experiment);

}  // namespace tailwave
