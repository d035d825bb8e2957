// A BM x BN tile of C = A B in half, added up in float32 by WARPS_M x WARPS_N warps of a block. STAGES tiles
// of A and B, BK deep, lie in shared memory. A row's vectors of eight halves are exchanged there (by an
// exclusive or with the row's number), so that eight rows' vectors of one column lie in different banks.
#pragma once

#include "copy.cuh"
#include "mma.cuh"
#include "schedule.cuh"

constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int WARP_M = BM / WARPS_M, WARP_N = BN / WARPS_N;
constexpr int ROW_BLOCKS = WARP_M / 16, COLUMN_BLOCKS = WARP_N / 8;
constexpr int STEPS = BK / 16;
constexpr int A_STAGE = BM * BK, B_STAGE = BK * BN;
constexpr int A_ROW = BK / 8, B_ROW = BN / 8;  // vectors
constexpr int A_COPIES = BM * A_ROW / THREADS, B_COPIES = BK * B_ROW / THREADS;

// Where the vector of a row lies, in halves, if a row has Vectors of them.
template <int Vectors>
__device__ inline int place(int row, int vector) {
  const int key = Vectors >= 8 ? row % 8 : row / 2 % 4;
  return (row * Vectors + (vector ^ key)) * 8;
}

struct Sums {
  float x[ROW_BLOCKS][COLUMN_BLOCKS][4];
};

struct Fragments {
  unsigned a[ROW_BLOCKS][4];
  unsigned b[COLUMN_BLOCKS / 2][4];
};

__device__ inline void load(Fragments& to, const half* a_stage, const half* b_stage, int step) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / WARPS_N * WARP_M + lane % 16, column = warp % WARPS_N * (WARP_N / 8) + lane / 16;
  // Sixteen rows on, vectors are exchanged alike: the distance is constant.
  const half* a_row = a_stage + place<A_ROW>(row, step * 2 + lane / 16);
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) load_matrices<false>(to.a[i], a_row + i * 16 * BK);
#pragma unroll
  for (int j = 0; j < COLUMN_BLOCKS / 2; ++j)
    load_matrices<true>(to.b[j], b_stage + place<B_ROW>(lane % 16, column + j * 2) + step * 16 * BN);
}

// Starts the copies of what begins at column `start` of A, as far as column `end`. Rows and columns beyond C
// are read from its last ones: what comes of them is not stored.
__device__ inline void start_copies(half* a_stage, half* b_stage, const half* a, const half* b, int first_row,
                                    int first_column, int start, int end, int m, int n, int k) {
#pragma unroll
  for (int i = 0; i < A_COPIES; ++i) {
    const int index = i * THREADS + threadIdx.x, row = index / A_ROW, vector = index % A_ROW;
    const long long from = static_cast<long long>(min(first_row + row, m - 1)) * k + start + vector * 8;
    copy_async<16>(a_stage + place<A_ROW>(row, vector), a + from, start + vector * 8 < end);
  }
#pragma unroll
  for (int i = 0; i < B_COPIES; ++i) {
    const int index = i * THREADS + threadIdx.x, row = index / B_ROW, vector = index % B_ROW;
    const long long from = static_cast<long long>(start + row) * n + min(first_column + vector * 8, n - 8);
    copy_async<16>(b_stage + place<B_ROW>(row, vector), b + from, start + row < end);
  }
}

// The sums over columns first_k to last_k of A, of which the first is a multiple of BK. All threads of the
// block call it.
__device__ inline void multiply_tile(Sums& sums, half* shared, const half* a, const half* b, Tile tile,
                                     int first_k, int last_k, int m, int n, int k) {
  half* a_stages = shared;
  half* b_stages = shared + STAGES * A_STAGE;
  const int first_row = tile.row * BM, first_column = tile.column * BN;
  const int depth = (last_k - first_k + BK - 1) / BK;
  int next = 0;
  const auto start_next = [&](int stage) {
    if (next < depth)
      start_copies(a_stages + stage * A_STAGE, b_stages + stage * B_STAGE, a, b, first_row, first_column,
                   first_k + next * BK, last_k, m, n, k);
    ++next;
    end_group();
  };
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums.x[i][j][e] = 0;

  __syncthreads();  // nobody reads what an earlier call has copied
  for (int stage = 0; stage < STAGES - 1; ++stage) start_next(stage);
  wait_groups<STAGES - 2>();
  __syncthreads();

  Fragments fragments[2];
  int read = 0, write = STAGES - 1;
  load(fragments[0], a_stages, b_stages, 0);
  for (int t = 0; t < depth; ++t) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      if (step == STEPS - 1) {
        // The next tile has to be there, and no thread may read the stage of this one any more.
        wait_groups<STAGES - 2>();
        __syncthreads();
        read = read == STAGES - 1 ? 0 : read + 1;
        write = write == STAGES - 1 ? 0 : write + 1;
      }
      load(fragments[(step + 1) % 2], a_stages + read * A_STAGE, b_stages + read * B_STAGE,
           (step + 1) % STEPS);
      if (step == 0) start_next(write);
      const Fragments& now = fragments[step % 2];
#pragma unroll
      for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
        for (int j = 0; j < COLUMN_BLOCKS; ++j)
          multiply_add(sums.x[i][j], now.a[i], now.b[j / 2][j % 2 * 2], now.b[j / 2][j % 2 * 2 + 1]);
    }
  }
  wait_groups<0>();
}

// Rounded to half. Each lane stores eight columns at a time.
__device__ inline void store_tile(const Sums& sums, half* c, Tile tile, int m, int n) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const long long row = tile.row * BM + warp / WARPS_N * WARP_M + i * 16 + upper * 8 + lane / 4;
#pragma unroll
      for (int j = 0; j < COLUMN_BLOCKS; j += 4) {
        unsigned x[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) x[e] = pack(sums.x[i][j + e][upper * 2], sums.x[i][j + e][upper * 2 + 1]);
        transpose_quad(x);
        const int column = tile.column * BN + warp % WARPS_N * WARP_N + (j + lane % 4) * 8;
        if (row < m && column < n)
          *reinterpret_cast<uint4*>(c + row * n + column) = make_uint4(x[0], x[1], x[2], x[3]);
      }
    }
}
