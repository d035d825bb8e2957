// Attention in one pass over the keys: softmax by running maxima and sums. SCHEDULE: 0 tiles of queries as they
// come, 1 from the last (which causal sees most keys) to the first, 2 two to a block, the n-th and the n-th
// last.
#include "tile.cuh"

__device__ inline void store(const State& state, half* out, int first_query, int queries) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const int query = first_query + (warp * ROW_BLOCKS + i) * 16 + upper * 8 + lane / 4;
      const float share = 1 / state.sum[i][upper];
#pragma unroll
      for (int j = 0; j < DIM_BLOCKS; j += 4) {
        unsigned x[4];
#pragma unroll
        for (int e = 0; e < 4; ++e)
          x[e] = pack(state.out[i][j + e][upper * 2] * share, state.out[i][j + e][upper * 2 + 1] * share);
        transpose_quad(x);
        if (query < queries)
          *reinterpret_cast<uint4*>(out + static_cast<long long>(query) * HEAD_DIM + (j + lane % 4) * 8) =
              make_uint4(x[0], x[1], x[2], x[3]);
      }
    }
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention(const half* __restrict__ q, const half* __restrict__ k, const half* __restrict__ v,
              half* __restrict__ out, int heads, int queries, int keys) {
  extern __shared__ __align__(128) half shared[];
  const int tiles = (queries + BQ - 1) / BQ, slots = SCHEDULE == 2 ? (tiles + 1) / 2 : tiles;
  const Lengths lengths{queries, keys};
#pragma unroll 1
  for (int part = 0; part < (SCHEDULE == 2 ? 2 : 1); ++part) {
    int index = blockIdx.x;
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(index));  // a second tile computes its addresses anew: none are kept in registers
#endif
    const int head = HEADS_FIRST ? index % heads : index / slots;
    const int slot = HEADS_FIRST ? index / heads : index % slots;
    const int tile = SCHEDULE == 1 || part == 1 ? tiles - 1 - slot : slot;
    if (part == 1 && tile == slot) break;
    const long long q_begin = static_cast<long long>(head) * queries * HEAD_DIM,
                    k_begin = static_cast<long long>(head) * keys * HEAD_DIM;
    const int first_query = tile * BQ;
    const int seen = lengths.seen_by(min(first_query + BQ, queries) - 1);
    State state;
    attend(state, shared, {q + q_begin, k + k_begin, v + k_begin}, lengths, first_query, 0,
           (seen + BK - 1) / BK);
    store(state, out + q_begin, first_query, queries);
  }
}
