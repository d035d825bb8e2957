#pragma once

#include <cstdint>
#include <limits>

#include "cli/command_line.h"

namespace tailwave {

// Checks of an option's value whose message is what would be right: "a whole number from 1 to 1000", "a whole number,
// 1 or more". CLI11's own take a number beyond its type for the largest one, and let NaN pass.
ValueCheck whole_number(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());
ValueCheck finite_number(double least, double most);

}  // namespace tailwave
