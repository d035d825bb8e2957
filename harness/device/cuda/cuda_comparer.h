#pragma once

#include "compile/cache.h"
#include "device/comparer.h"
#include "device/cuda/gpu_place.h"

namespace tailwave {

// Compares in the memory of a GPU (device/cuda/gpu_comparison.h), which it opens beside the process that runs kernels
// there. What compares is compiled by NVRTC in the process that the comparer is made in, and kept in the cache.
ComparerFactory cuda_comparer(const GpuPlace& place, const ArtifactCache& cache);

}  // namespace tailwave
