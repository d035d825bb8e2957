// As mma.cu, but BLOCKS blocks, as many as the GPU holds at once, share all steps along K evenly, or with
// HYBRID those of the last one to two waves.
#include "half_tile.cuh"

constexpr int PART = BM * BN;

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ c,
         float* __restrict__ partials, unsigned* __restrict__ arrived, int m, int n, int k) {
  extern __shared__ __align__(16) half shared[];
  __shared__ bool last;
  const int tile_rows = (m + BM - 1) / BM, tile_columns = (n + BN - 1) / BN, tiles = tile_rows * tile_columns;
  const int block = blockIdx.x, thread = threadIdx.x;
  const int shared_out = shared_tiles(tiles, BLOCKS, HYBRID);
  Sums sums;

  const Shares shares(BLOCKS, shared_out, (k + BK - 1) / BK);
  const long long end = shares.begin(block + 1);
  for (long long step = shares.begin(block); step < end;) {
    const int index = step / shares.depth, first = step % shares.depth;
    const int count = min(static_cast<long long>(shares.depth - first), end - step);
    const Tile tile = tile_at(index, tile_rows, tile_columns, GROUP);
    step += count;
    multiply_tile(sums, shared, a, b, tile, first * BK, min((first + count) * BK, k), m, n, k);
    if (count == shares.depth) {
      store_tile(sums, c, tile, m, n);
      continue;
    }

    float* values = &sums.x[0][0][0];
    float* part = partials + static_cast<long long>(shares.slot(block, index)) * PART + thread;
#pragma unroll
    for (int i = 0; i < PART / THREADS; ++i) part[i * THREADS] = values[i];
    __threadfence();
    __syncthreads();
    const int first_block = shares.first_block(index), last_block = shares.last_block(index);
    if (thread == 0) last = atomicAdd(arrived + index, 1u) == static_cast<unsigned>(last_block - first_block);
    __syncthreads();
    if (!last) continue;
    // All parts are there. They are added in the blocks' order, so that the sum does not depend on who was
    // last.
    __threadfence();
#pragma unroll
    for (int i = 0; i < PART / THREADS; ++i) values[i] = 0;
    for (int other = first_block; other <= last_block; ++other) {
      const float* from = partials + static_cast<long long>(shares.slot(other, index)) * PART + thread;
#pragma unroll
      for (int i = 0; i < PART / THREADS; ++i) values[i] += __ldcg(from + i * THREADS);
    }
    store_tile(sums, c, tile, m, n);
    if (thread == 0) arrived[index] = 0;
  }

  for (int index = shared_out + block; index < tiles; index += BLOCKS) {
    const Tile tile = tile_at(index, tile_rows, tile_columns, GROUP);
    multiply_tile(sums, shared, a, b, tile, 0, k, m, n, k);
    store_tile(sums, c, tile, m, n);
  }
}
