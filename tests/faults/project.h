#pragma once

#include <filesystem>

namespace tailwave::faults {

// A project in a folder of its own whose experiment takes a fraction of a second: a reference and six configurations on
// the CPU, three repetitions each.
inline constexpr int kConfigurations = 6;
inline constexpr const char* kSpec = "experiments/scale/all.json";

// With kernels it also has a template for the CPU device, which takes longer to compile.
void write_project(const std::filesystem::path& folder, bool with_kernels);

}  // namespace tailwave::faults
