#pragma once

#include <vector>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// A plan of the variant: "prepare", "launches" or "finish", loops included. Needs system.problem and buffers, and the
// variant's target and parameters.
std::vector<LaunchSpec> read_plan(const Json& plan, const System& system, const VariantSpec& variant,
                                  Reporter& reporter);

}  // namespace tailwave
