#pragma once

#include <filesystem>
#include <string>

#include "adopt/adopt.h"

namespace tailwave {

// The texts of the headers of its own that a source includes, and of those that these include.
std::string texts_of_own_headers(const std::filesystem::path& source);

// Adds copies of the headers that the source includes and that lie in its folder, below it, in a folder include/ of that or beside
// it or, by a path with "..", elsewhere; those of other folders are put beside the source, and the lines that include them say so. Remarks on those that are
// not there; lines that include a helper of NVIDIA's samples then ("helper_cuda.h", which host code needs) are left out. `system` is the name of the folder in kernel_templates/.
void add_own_headers(const std::filesystem::path& source, const std::string& system, Adopted& adopted);

}  // namespace tailwave
