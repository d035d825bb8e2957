// As mma.cu, but SPLITS blocks share a tile: each adds up a part of K, and a second kernel adds the parts.
#include "half_tile.cuh"

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm_part(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ partials, int m,
              int n, int k) {
  extern __shared__ __align__(16) half shared[];
  const Tile tile = tile_at(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, GROUP);
  const int part = blockIdx.y, depth = (k + BK - 1) / BK;
  Sums sums;
  multiply_tile(sums, shared, a, b, tile, depth * part / SPLITS * BK,
                min(depth * (part + 1) / SPLITS * BK, k), m, n, k);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j)
#pragma unroll
      for (int upper = 0; upper < 2; ++upper) {
        const long long row = tile.row * BM + warp / WARPS_N * WARP_M + i * 16 + upper * 8 + lane / 4;
        const int column = tile.column * BN + warp % WARPS_N * WARP_N + j * 8 + lane % 4 * 2;
        if (row < m && column < n)
          *reinterpret_cast<float2*>(partials + (static_cast<long long>(part) * m + row) * n + column) =
              make_float2(sums.x[i][j][upper * 2], sums.x[i][j][upper * 2 + 1]);
      }
}

// Four elements a thread.
__global__ void add_parts(const float* __restrict__ partials, half* __restrict__ c, int m, int n) {
  const long long i = (static_cast<long long>(blockIdx.x) * 256 + threadIdx.x) * 4,
                  count = static_cast<long long>(m) * n;
  if (i >= count) return;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int part = 0; part < SPLITS; ++part) {
    const float4 x = *reinterpret_cast<const float4*>(partials + part * count + i);
    sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
  }
  *reinterpret_cast<uint2*>(c + i) = make_uint2(pack(sum.x, sum.y), pack(sum.z, sum.w));
}
