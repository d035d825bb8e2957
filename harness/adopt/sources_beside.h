#pragma once

#include <filesystem>

#include "adopt/adopt.h"

namespace tailwave {

// Adds to copies of the code, at their ends, includes of the files beside the source that define functions of the device which
// it only declares: nvcc compiles those on their own and links them.
void include_sources_beside(const std::filesystem::path& source, Adopted& adopted);

}  // namespace tailwave
