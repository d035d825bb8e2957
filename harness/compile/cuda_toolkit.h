#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tailwave {

// Roots of CUDA toolkits, folders that have lib64/ or lib/ and include/, the first to look in first: $CUDA_PATH,
// $CUDA_HOME, where the CUDA headers of this build are, .deps/cuda in a folder above the program, /usr/local/cuda.
std::vector<std::filesystem::path> toolkit_roots();

// The architecture of code that may use all that a GPU of this compute capability (90 for 9.0) has: "90a", "80".
std::string full_architecture(int compute_capability);

// The value of an environment variable; "" where it is not set.
std::string environment_text(const char* name);

// Where the program that runs lies.
std::filesystem::path program_folder();

}  // namespace tailwave
