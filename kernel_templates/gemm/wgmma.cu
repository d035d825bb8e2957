// Half by wgmma, see wgmma_kernel.cuh.
#include "wgmma_kernel.cuh"

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
         const __grid_constant__ CUtensorMap c_map, half* __restrict__ c, int m, int n, int k) {
  multiply_matrices<0>({a, b, c_map, c, m, n, k}, {});
}
