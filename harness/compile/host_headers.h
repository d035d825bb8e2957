#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// Names of headers that device code has no use of: the host's of C and C++, and those of libraries that the host calls.
std::vector<std::string> host_headers();
// Whether it is of the latter: cublas_v2.h, thrust/sort.h.
bool is_of_a_host_library(std::string_view name);

}  // namespace tailwave
