#pragma once

#include <filesystem>
#include <vector>

namespace tailwave {

// What the user lets compilers and kernels read beside their projects, in this process and those that it starts from
// now on. A build is known by it: what a compiler may read can decide what it makes.
void set_allowed_inputs(std::vector<std::filesystem::path> paths);
const std::vector<std::filesystem::path>& allowed_inputs();

}  // namespace tailwave
