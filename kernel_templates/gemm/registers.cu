// A thread computes TM x TN elements of C in registers, from a BM x BK tile of A and a BK x BN tile of B in
// shared memory. A lies there by columns, so that both are read in vectors of four.
#include "schedule.cuh"

constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN, THREADS = THREADS_M * THREADS_N;
constexpr int PADDED_M = BM + PAD;
// Vectors that a thread brings.
constexpr int A_COPIES = (BM * BK / VECTOR + THREADS - 1) / THREADS,
              B_COPIES = (BK * BN / VECTOR + THREADS - 1) / THREADS;

// VECTOR floats from `from`, or zeros.
__device__ inline void load(float (&to)[VECTOR], const float* from, bool inside) {
#if VECTOR == 4
  const float4 x = inside ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
#else
  to[0] = inside ? *from : 0;
#endif
}

__global__ void __launch_bounds__(THREADS) gemm(const float* __restrict__ a, const float* __restrict__ b,
                                                float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) float a_tile[BK][PADDED_M];
  __shared__ __align__(16) float b_tile[BK][BN];
  const int thread = threadIdx.x;
  const Tile tile = tile_at(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, GROUP);
  const int first_row = tile.row * BM, first_column = tile.column * BN;
  const int thread_row = thread / THREADS_N * 4, thread_column = thread % THREADS_N * 4;
  float sum[TM][TN] = {};

  for (int start = 0; start < k; start += BK) {
#pragma unroll
    for (int copy = 0; copy < A_COPIES; ++copy) {
      const int i = (copy * THREADS + thread) * VECTOR;
      if (i >= BM * BK) break;
      const int row = i / BK, p = i % BK;
      float x[VECTOR];
      load(x, a + static_cast<long long>(first_row + row) * k + start + p,
           first_row + row < m && start + p < k);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) a_tile[p + j][row] = x[j];
    }
#pragma unroll
    for (int copy = 0; copy < B_COPIES; ++copy) {
      const int i = (copy * THREADS + thread) * VECTOR;
      if (i >= BK * BN) break;
      const int p = i / BN, column = i % BN;
      float x[VECTOR];
      load(x, b + static_cast<long long>(start + p) * n + first_column + column,
           start + p < k && first_column + column < n);
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) b_tile[p][column + j] = x[j];
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < BK; ++p) {
      __align__(16) float left[TM], right[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4)
        *reinterpret_cast<float4*>(left + i) =
            *reinterpret_cast<const float4*>(&a_tile[p][i * THREADS_M + thread_row]);
#pragma unroll
      for (int j = 0; j < TN; j += 4)
        *reinterpret_cast<float4*>(right + j) =
            *reinterpret_cast<const float4*>(&b_tile[p][j * THREADS_N + thread_column]);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const long long row = first_row + i / 4 * 4 * THREADS_M + thread_row + i % 4;
#pragma unroll
    for (int j = 0; j < TN; j += VECTOR) {
      const int column = first_column + j / 4 * 4 * THREADS_N + thread_column + j % 4;
      if (row >= m || column >= n) continue;
#if VECTOR == 4
      *reinterpret_cast<float4*>(c + row * n + column) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
#else
      c[row * n + column] = sum[i][j];
#endif
    }
  }
}
