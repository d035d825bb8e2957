#pragma once

#include <filesystem>
#include <string>

#include "adopt/adopt.h"

namespace tailwave {

// Adds copies of the headers that the source includes by name ("x.h") and that lie in its folder, below it or, by a path with
// "..", elsewhere; the latter are put beside the source, and the lines that include them say so. Remarks on those that are
// not there; lines that include a helper of NVIDIA's samples then ("helper_cuda.h", which host code needs) are left out. `system` is the name of the folder in kernel_templates/.
void add_own_headers(const std::filesystem::path& source, const std::string& system, Adopted& adopted);

}  // namespace tailwave
