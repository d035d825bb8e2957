#pragma once

#include "core/error.h"
#include "spec/experiment.h"

namespace tailwave {

// Warnings of cases that have configurations whose kernels cannot be launched because a size of a launch is no whole number
// or below 1: how many of them, and the first. What needs more than expressions to be told (a device's limits) is not asked,
// nor are spaces of more than 2000 configurations. Those on the CPU device's problems count, too.
Diagnostics check_shapes(const Experiment& experiment);

}  // namespace tailwave
