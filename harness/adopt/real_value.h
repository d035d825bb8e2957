#pragma once

#include <cstddef>
#include <optional>

#include "adopt/draft.h"

namespace tailwave {

// What the host's code computes of numbers alone: "3.0 / W", where W is a variable of it.
std::optional<double> real_value(Draft& draft, const CTerm& term, std::size_t place);

}  // namespace tailwave
