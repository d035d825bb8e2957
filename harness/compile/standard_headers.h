#pragma once

#include <map>
#include <string>

namespace tailwave {

// What NVRTC, which has no headers of C or C++, finds in their place, by name. Those of C++ that the toolkit's libcu++ has are
// that, with its names in std, too; those of C have the types, limits and constants that device code uses. Headers of
// the host alone (iostream, vector, cublas_v2.h, thrust/sort.h, ...), and HIP's, whose kernel language is CUDA's, are empty: what uses them is no device code. <cub/cub.cuh> is CUB's part for
// blocks, warps and threads.
const std::map<std::string, std::string>& standard_headers();
// Of all names and texts.
const std::string& standard_headers_digest();

}  // namespace tailwave
