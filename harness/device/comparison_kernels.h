#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "compile/artifact.h"
#include "spec/reference_spec.h"

namespace tailwave {

// The kernels of comparison_kernels.cu, which compare arrays on a device by verify/difference.h.

inline constexpr unsigned kComparisonBlockThreads = 256;  // in x
inline constexpr unsigned kComparisonBlocksPerSm = 3;     // so many fit

// What the artifact calls the kernel of a norm and a type. Its parameters: expected, actual (the same for range), the
// number of elements, tolerance, low and high of the DifferenceRule, and an ArrayDifference for each block.
std::string comparison_kernel(Comparison::Norm norm, ScalarType type);

using ComparisonKernels = std::set<std::pair<Comparison::Norm, ScalarType>>;

// Compiles some of them: all take a dozen seconds, one takes half of one. Compilers read files, so that the texts are
// written to `folder` first. Throws Failure(compile_error), and Error where the folder cannot be written.
Artifact build_comparison_kernels(Compiler& compiler, const std::filesystem::path& folder,
                                  const ComparisonKernels& kernels);

}  // namespace tailwave
