#pragma once

#include <string>
#include <string_view>

namespace tailwave {

// nvcc includes <cuda_runtime.h>, and thereby headers of the host, in every file, and knows what the host's compiler has
// built in. What NVRTC gets before a source that uses such a name without an include: a line or more of code; empty for
// what is no such name.
std::string lines_for_name(std::string_view name);   // INFINITY, int64_t, __builtin_popcount
std::string lines_in_std(std::string_view name);     // std::sqrt, std::is_same
bool needs_toolkit_headers(std::string_view lines);  // what libcu++ declares
// Whether they take a function of std from the global scope, where it has no overloads for integers.
bool is_of_global_scope(std::string_view lines);

}  // namespace tailwave
