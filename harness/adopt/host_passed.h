#pragma once

#include <optional>
#include <string>

#include "adopt/c_term.h"
#include "adopt/host_functions.h"

namespace tailwave {

// The variable that is passed; empty: it is a value of its own, or leads somewhere into one.
std::string variable_passed(const HostFunctions::Passed& passed);

// Of a call of a function that returns a value at once: that, with the arguments in it.
std::optional<CTerm> returned_by(const HostFunctions& functions, const CTerm& call);

}  // namespace tailwave
