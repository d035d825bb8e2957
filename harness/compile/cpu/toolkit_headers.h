#pragma once

#include <map>
#include <string>

namespace tailwave {

// What stands for headers of the CUDA toolkit on the CPU device, by name, beside those in cpu/include: libcu++'s <cuda/std/...>
// are those of C++, parts of the runtime API what a template has without, and others say that they are not there, so
// that no compiler takes the toolkit's own from a folder of the system.
const std::map<std::string, std::string>& cpu_toolkit_headers();

}  // namespace tailwave
