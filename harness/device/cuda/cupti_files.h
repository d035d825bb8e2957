#pragma once

#include <filesystem>
#include <vector>

namespace tailwave {

// Where libcupti may be, the first to try first: $TAILWAVE_CUPTI (nothing else when it is set); beside the libnvrtc
// that was found (`nvrtc`; may be empty), in lib64/, lib/ and extras/CUPTI/lib64/ of the toolkits that there are
// (compile/cuda_toolkit.h) and beside the program, of these what is there; then libcupti.so.13, .12 and .so on the
// loader's path.
std::vector<std::filesystem::path> cupti_candidates(const std::filesystem::path& nvrtc);

}  // namespace tailwave
