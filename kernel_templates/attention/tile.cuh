// BQ queries of one head against a range of its keys. The scores of a tile of BK keys, the running maxima and
// sums, and the weighted sums of the values are in registers: a warp has BQ / WARPS whole rows of them. STAGES
// tiles of keys and values lie in shared memory. A row's vectors of eight halves are exchanged there (by an
// exclusive or with the row's number), so that eight rows' vectors of one column lie in different banks.
#pragma once

#include "copy.cuh"
#include "mma.cuh"
#include "rows.cuh"

constexpr int THREADS = WARPS * 32;
constexpr int ROW_BLOCKS = BQ / (WARPS * 16), KEY_BLOCKS = BK / 8, DIM_BLOCKS = HEAD_DIM / 8;
constexpr int STEPS = HEAD_DIM / 16;
constexpr int VECTORS = HEAD_DIM / 8;  // of a row
constexpr int KEY_TILE = BK * HEAD_DIM, STAGE = 2 * KEY_TILE;

// Half rows of HEAD_DIM: the first of one head.
struct Head {
  const half *q, *k, *v;
};

// Where the vector of a row lies, in halves.
__device__ inline int place(int row, int vector) {
  return (row * VECTORS + (vector ^ row % 8)) * 8;
}

// A few at once: each has an address in registers.
template <int Rows>
__device__ inline void start_copies(half* to, const half* from, int first, int rows, bool repeat_last) {
  static_assert(Rows * VECTORS % THREADS == 0);
  constexpr int COPIES = Rows * VECTORS / THREADS, AT_ONCE = COPIES < 4 ? COPIES : 4;
#pragma unroll AT_ONCE
  for (int i = 0; i < COPIES; ++i) {
    const int index = i * THREADS + threadIdx.x, row = index / VECTORS, vector = index % VECTORS;
    const int read = min(first + row, rows - 1);
    copy_async<16>(to + place(row, vector), from + (static_cast<unsigned>(read) * HEAD_DIM + vector * 8),
               repeat_last || first + row < rows);
  }
}

struct State {
  float out[ROW_BLOCKS][DIM_BLOCKS][4];
  float top[ROW_BLOCKS][2];  // what exponents are relative to, at least nearly the largest score
  float sum[ROW_BLOCKS][2];  // of the lane's own columns
};

using Scores = float[ROW_BLOCKS][KEY_BLOCKS][4];
using Queries = unsigned[ROW_BLOCKS][STEPS][4];

__device__ inline void load_queries(unsigned (&to)[4], const half* q_tile, int block, int step) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  load_matrices<false>(
      to, q_tile + place(warp * ROW_BLOCKS * 16 + lane % 16, step * 2 + lane / 16) + block * 16 * HEAD_DIM);
}

__device__ inline void load_all_queries(Queries& to, const half* q_tile) {
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int step = 0; step < STEPS; ++step) load_queries(to[i][step], q_tile, i, step);
}

__device__ inline void multiply_keys(Scores& scores, const Queries& queries, const half* q_tile,
                                     const half* k_tile) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < KEY_BLOCKS; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) scores[i][j][e] = 0;
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
#if !Q_IN_REGISTERS
    unsigned q[ROW_BLOCKS][4];
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i) load_queries(q[i], q_tile, i, step);
#endif
    const half* k_row = k_tile + place(lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2);
#pragma unroll
    for (int j = 0; j < KEY_BLOCKS; j += 2) {
      unsigned k[4];
      load_matrices<false>(k, k_row + j * 8 * HEAD_DIM);
#pragma unroll
      for (int i = 0; i < ROW_BLOCKS; ++i) {
#if Q_IN_REGISTERS
        const unsigned(&row)[4] = queries[i][step];
#else
        const unsigned(&row)[4] = q[i];
#endif
        multiply_add(scores[i][j], row, k[0], k[1]);
        multiply_add(scores[i][j + 1], row, k[2], k[3]);
      }
    }
  }
}

// Keys that a query does not see.
__device__ inline void mask(Scores& scores, Lengths lengths, int warp_row, int first_key) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const int query = warp_row + i * 16 + upper * 8 + lane / 4;
      mask_row(scores[i], upper, lengths.seen_by(query) - first_key - lane % 4 * 2);
    }
}

// Makes weights of scores, relative to maxima that may have risen: then what was added up so far shrinks.
// SLACK above 0: only where one in the warp has risen by more than so many powers of two, up to which weights
// grow instead.
__device__ inline void make_weights(Scores& scores, State& state) {
  float top[ROW_BLOCKS][2];
  bool risen = false;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      top[i][upper] = largest_of_row(scores[i], upper, state.top[i][upper]);
      risen = risen || (top[i][upper] - state.top[i][upper]) * score_factor() > SLACK;
    }
  if (SLACK == 0 || __any_sync(ALL, risen)) {
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
      for (int upper = 0; upper < 2; ++upper) {
        const float shrink = shrink_factor(state.top[i][upper], top[i][upper]);
        state.top[i][upper] = top[i][upper];
        state.sum[i][upper] *= shrink;
#pragma unroll
        for (int j = 0; j < DIM_BLOCKS; ++j)
#pragma unroll
          for (int e = 0; e < 2; ++e) state.out[i][j][upper * 2 + e] *= shrink;
      }
  }
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper)
      weigh_row(scores[i], upper, state.top[i][upper], state.sum[i][upper]);
}

// The layout of sums is that of a left operand: weights need not be exchanged among lanes.
__device__ inline void add_values(State& state, const Scores& weights, const half* v_tile) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 0; step < BK / 16; ++step) {
    unsigned p[ROW_BLOCKS][4];
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float(&block)[4] = weights[i][step * 2 + e / 2];
        p[i][e] = pack(block[e % 2 * 2], block[e % 2 * 2 + 1]);
      }
#pragma unroll
    for (int j = 0; j < DIM_BLOCKS; j += 2) {
      unsigned v[4];
      load_matrices<true>(v, v_tile + place(lane % 16, j + lane / 16) + step * 16 * HEAD_DIM);
#pragma unroll
      for (int i = 0; i < ROW_BLOCKS; ++i) {
        multiply_add(state.out[i][j], p[i], v[0], v[1]);
        multiply_add(state.out[i][j + 1], p[i], v[2], v[3]);
      }
    }
  }
}

// Queries from `first_query` on against the tiles of keys from `first_tile` to `last_tile`. All threads of the
// block call it.
__device__ inline void attend(State& state, half* shared, Head head, Lengths lengths, int first_query,
                              int first_tile, int last_tile) {
  // Queries that go to registers lie in the last stage, which is the last to be filled.
  half* q_tile = shared + (STAGES - (Q_IN_REGISTERS ? 1 : 0)) * STAGE;
  int next = first_tile;
  const auto start_next = [&](int stage) {
    if (next < last_tile) {
      half* to = shared + stage * STAGE;
      start_copies<BK>(to, head.k, next * BK, lengths.keys, false);
      start_copies<BK>(to + KEY_TILE, head.v, next * BK, lengths.keys, false);
    }
    ++next;
    end_group();
  };
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      state.top[i][upper] = -INFINITY;
      state.sum[i][upper] = 0;
    }
#pragma unroll
    for (int j = 0; j < DIM_BLOCKS; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) state.out[i][j][e] = 0;
  }

  __syncthreads();  // nobody reads what an earlier call has copied
  start_copies<BQ>(q_tile, head.q, first_query, lengths.queries, true);
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) start_next(stage);
  Queries queries;
#if Q_IN_REGISTERS
  wait_groups<STAGES - 2>();
  __syncthreads();
  load_all_queries(queries, q_tile);
#endif

  const int warp_row = first_query + threadIdx.x / 32 * (ROW_BLOCKS * 16);
  const int seen_by_all = lengths.seen_by(warp_row);
  const int seen_by_any =
      warp_row < lengths.queries ? lengths.seen_by(min(warp_row + ROW_BLOCKS * 16, lengths.queries) - 1) : 0;
  int read = 0, write = STAGES - 1;
  for (int tile = first_tile; tile < last_tile; ++tile) {
    // The tile has to be there, and no thread may read the stage of the one before any more.
    wait_groups<STAGES - 2>();
    __syncthreads();
    start_next(write);
    if (tile * BK < seen_by_any) {
      const half* k_tile = shared + read * STAGE;
      Scores scores;
      multiply_keys(scores, queries, q_tile, k_tile);
      if (tile * BK + BK > seen_by_all) mask(scores, lengths, warp_row, tile * BK);
      make_weights(scores, state);
      add_values(state, scores, k_tile + KEY_TILE);
    }
    read = read == STAGES - 1 ? 0 : read + 1;
    write = write == STAGES - 1 ? 0 : write + 1;
  }
  wait_groups<0>();
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) state.sum[i][upper] = sum_of_quad(state.sum[i][upper]);
}
