#pragma once

#include <string>

namespace tailwave {

// One line of a trial's detail: of a compiler's words the first with an error; of others the first, and of what the CPU
// device lacks.
std::string headline(const std::string& detail);

}  // namespace tailwave
