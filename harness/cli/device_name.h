#pragma once

#include <string>

#include "core/error.h"

namespace tailwave {

// The number in "cuda:1". Throws Error (bad usage) for what is no such name; of a GPU that can be planned for (h200,
// sm_90) it says what takes that name, and what this machine has to run on.
int parse_ordinal(const std::string& device);

// Why a device named like that could not be opened, as the driver says, and what can be done without it.
Error cannot_open(const std::string& device, const std::string& why);

}  // namespace tailwave
