// For few queries: SPLITS blocks share the keys of a tile of queries, and a second kernel adds up their parts.
#include "tile.cuh"

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention_part(const half* __restrict__ q, const half* __restrict__ k, const half* __restrict__ v,
                   float* __restrict__ parts, float2* __restrict__ part_sums, int heads, int queries,
                   int keys) {
  extern __shared__ __align__(128) half shared[];
  const int tiles = (queries + BQ - 1) / BQ;
  const int tile = blockIdx.x % tiles, head = blockIdx.x / tiles, split = blockIdx.y;
  const long long q_begin = static_cast<long long>(head) * queries,
                  k_begin = static_cast<long long>(head) * keys * HEAD_DIM;
  const Lengths lengths{queries, keys};
  const int first_query = tile * BQ;
  const int seen = lengths.seen_by(min(first_query + BQ, queries) - 1), key_tiles = (seen + BK - 1) / BK;
  State state;
  attend(state, shared, {q + q_begin * HEAD_DIM, k + k_begin, v + k_begin}, lengths, first_query,
         key_tiles * split / SPLITS, key_tiles * (split + 1) / SPLITS);

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const int query = first_query + (warp * ROW_BLOCKS + i) * 16 + upper * 8 + lane / 4;
      if (query >= queries) continue;
      const long long row = static_cast<long long>(split) * heads * queries + q_begin + query;
      if (lane % 4 == 0) part_sums[row] = make_float2(state.top[i][upper], state.sum[i][upper]);
#pragma unroll
      for (int j = 0; j < DIM_BLOCKS; ++j)
        *reinterpret_cast<float2*>(parts + row * HEAD_DIM + j * 8 + lane % 4 * 2) =
            make_float2(state.out[i][j][upper * 2], state.out[i][j][upper * 2 + 1]);
    }
}

// One thread an element of the result.
__global__ void __launch_bounds__(128)
    add_parts(const float* __restrict__ parts, const float2* __restrict__ part_sums, half* __restrict__ out,
              int rows) {
  const long long index = blockIdx.x * 128LL + threadIdx.x, row = index / HEAD_DIM;
  if (row >= rows) return;
  float top = -INFINITY;
  for (int split = 0; split < SPLITS; ++split)
    top = fmaxf(top, part_sums[static_cast<long long>(split) * rows + row].x);
  float sum = 0, x = 0;
#pragma unroll 4
  for (int split = 0; split < SPLITS; ++split) {
    const float2 part = part_sums[static_cast<long long>(split) * rows + row];
    const float share = power_of_two((part.x - top) * score_factor());
    sum += share * part.y;
    x += share * parts[static_cast<long long>(split) * rows * HEAD_DIM + index];
  }
  out[index] = __float2half_rn(x / sum);
}
