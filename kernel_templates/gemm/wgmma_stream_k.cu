// As wgmma.cu; BLOCKS blocks share the steps along K evenly, or with HYBRID those of the last one to two
// waves.
#include "wgmma_kernel.cuh"

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
         const __grid_constant__ CUtensorMap c_map, half* __restrict__ c, float* __restrict__ partials,
         unsigned* __restrict__ arrived, int m, int n, int k) {
  multiply_matrices<HYBRID ? 1 : 2>({a, b, c_map, c, m, n, k}, {partials, arrived});
}
