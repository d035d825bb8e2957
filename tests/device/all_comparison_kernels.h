#pragma once

#include "device/comparison_kernels.h"
#include "verify/comparison_cases.h"

namespace tailwave::fakes {

// Of each norm and type.
inline ComparisonKernels all_comparison_kernels() {
  ComparisonKernels all;
  for (const auto norm : kAllNorms)
    for (const auto type : kAllTypes) all.emplace(norm, type);
  return all;
}

}  // namespace tailwave::fakes
