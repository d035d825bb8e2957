#pragma once

#include <string>
#include <vector>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// Name, target, description and parameters of a variant: what others refer to; what `variant` has stays where the place
// does not say otherwise. Needs system.problem.
VariantSpec read_variant_head(const std::string& name, const Json& place, const System& system,
                              Reporter& reporter, VariantSpec variant = {});

// The rest: source, options and launches, as far as they are there. Needs system.directory, problem and buffers.
void read_variant_body(const Json& place, const System& system, VariantSpec& variant, Reporter& reporter);

// Reports the names of an expression that neither the variant nor `others` have.
void check_variant_has(const Expression& expression, const System& system, const VariantSpec& variant,
                       const std::string& pointer, Reporter& reporter,
                       const std::vector<std::string>& others = {});

}  // namespace tailwave
