// Half by mma.sync, a tile of C a block.
#include "half_tile.cuh"

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) half shared[];
  const Tile tile = tile_at(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, GROUP);
  Sums sums;
  multiply_tile(sums, shared, a, b, tile, 0, k, m, n, k);
  store_tile(sums, c, tile, m, n);
}
