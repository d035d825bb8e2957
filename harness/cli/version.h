#pragma once

#include <string>

namespace tailwave {

// The program's version and, a line each, what it works with and from which file, or why it does not: NVRTC, the
// driver, NVML, SQLite, the host compiler.
std::string describe_version();

}  // namespace tailwave
