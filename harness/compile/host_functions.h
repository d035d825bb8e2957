#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// CUDA source without the functions that are the host's, main() with its launches among them: of those at namespace scope
// that have a body, each without __global__, __device__, constexpr or a macro that stands for one of them. NVRTC takes none,
// and nvcc lets no kernel call one.
struct DeviceSource {
  std::string text;                   // line for line
  std::vector<std::string> left_out;  // names, in order
};
DeviceSource without_host_functions(std::string_view source);

}  // namespace tailwave
