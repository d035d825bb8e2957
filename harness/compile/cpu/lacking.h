#pragma once

#include <string>
#include <string_view>

#include "compile/artifact.h"

namespace tailwave {

// What the CPU device has none of, by the log of a host compiler that refused a template: "__isGlobal", "<mma.h>".
std::string lacking_on_cpu(std::string_view log);

// Whether the template itself says what is to be compiled for the CPU device: then what does not compile there is its
// own fault.
bool has_code_for_cpu(const BuildRequest& request);

}  // namespace tailwave
