#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// What is verified besides the problem at hand. Needs all of the system but work and limits. Each problem is tried with
// the defaults of each variant that can have it.
void read_verify(const Json& verify, System& system, Reporter& reporter);

// Whether the system's problems may have this one besides: a variant that is not the reference can have it.
bool can_be_verified_with(System system, const std::map<std::string, Expression>& problem);

// Whether the variant has all that the system's other problem of this number names, and code that is that of any value of
// the quantities: no option or macro of the problem at hand.
bool can_have_problem(const VariantSpec& variant, const System& system, std::size_t number);

// The quantities of other problem `number` for a configuration with this scope. Reported, with the place in the
// manifest, and empty where one cannot be evaluated or is no value of its quantity.
std::optional<Values> other_problem(const System& system, std::size_t number, const Values& scope,
                                    Reporter& reporter);

// Whether the variant is made for the scope; empty where that cannot be evaluated (reported).
std::optional<bool> is_in_domain(const VariantSpec& variant, const Values& scope, Reporter& reporter);

}  // namespace tailwave
