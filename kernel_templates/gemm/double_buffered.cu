// As registers.cu, with STAGES tiles of A and B in shared memory: some are computed with while the next ones are on their way.
// ASYNC: by asynchronous copies, which transpose A four bytes at a time; else through registers.
// A warp computes LANES_M * TM rows and 32 / LANES_M * TN columns.
#include "copy.cuh"
#include "schedule.cuh"

constexpr int LANES_N = 32 / LANES_M;
constexpr int WARPS_M = BM / (TM * LANES_M), WARPS_N = BN / (TN * LANES_N);
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int PADDED_M = BM + PAD;
constexpr int A_STAGE = BK * PADDED_M, B_STAGE = BK * BN;
// Copies of a thread for one tile: of A singly where they are asynchronous, of B in vectors.
constexpr int A_VECTOR = ASYNC ? 1 : VECTOR;
constexpr int A_COPIES = (BM * BK / A_VECTOR + THREADS - 1) / THREADS, B_COPIES = (BK * BN / VECTOR + THREADS - 1) / THREADS;

// Eight columns of A are 32 bytes of a row, one sector, which neighbouring threads read.
constexpr int K_GROUP = 8 / A_VECTOR;

struct Place {
  int row, column;
};

__device__ inline Place place_in_a(int copy) {
  const int i = copy * THREADS + static_cast<int>(threadIdx.x);
  const int group = i / (K_GROUP * BM);
  return {i / K_GROUP % BM, (group * K_GROUP + i % K_GROUP) * A_VECTOR};
}

__device__ inline Place place_in_b(int copy) {
  const int i = (copy * THREADS + static_cast<int>(threadIdx.x)) * VECTOR;
  return {i / BN, i % BN};
}

// The last copy of a thread may lie beyond the tile.
__device__ inline bool has_a(int copy) { return BM * BK / A_VECTOR % THREADS == 0 || place_in_a(copy).column < BK; }
__device__ inline bool has_b(int copy) { return BK * BN / VECTOR % THREADS == 0 || place_in_b(copy).row < BK; }

struct Fragment {
  __align__(16) float a[TM];
  __align__(16) float b[TN];
};

struct Copier {
  const float* a[A_COPIES];
  const float* b[B_COPIES];
  int next = 0;  // the tile along k to be copied next
  int k;
  float a_held[A_COPIES][A_VECTOR];
  float b_held[B_COPIES][VECTOR];

  // Rows and columns beyond C are read from its last ones instead: what comes of them is not stored.
  __device__ Copier(const float* a_begin, const float* b_begin, int first_row, int first_column, int m, int n, int length)
      : k(length) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i)
      a[i] = a_begin + static_cast<long long>(min(first_row + place_in_a(i).row, m - 1)) * k + place_in_a(i).column;
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i)
      b[i] = b_begin + static_cast<long long>(place_in_b(i).row) * n + min(first_column + place_in_b(i).column, n - VECTOR);
  }

  template <bool Whole>
  __device__ void copy(float* a_stage, float* b_stage) {
    const int left = k - next * BK;
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const Place place = place_in_a(i);
      if (!has_a(i)) continue;
#if ASYNC
      float* to = a_stage + place.column * PADDED_M + place.row;
      if constexpr (Whole)
        copy_async_whole<4>(to, a[i]);
      else
        copy_async<4>(to, a[i], place.column < left);
#else
      hold(a_held[i], a[i], Whole || place.column < left);
#endif
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      const Place place = place_in_b(i);
      if (!has_b(i)) continue;
#if ASYNC
      float* to = b_stage + place.row * BN + place.column;
      if constexpr (Whole)
        copy_async_whole<4 * VECTOR>(to, b[i]);
      else
        copy_async<4 * VECTOR>(to, b[i], place.row < left);
#else
      hold(b_held[i], b[i], Whole || place.row < left);
#endif
    }
  }

  template <int Count>
  __device__ static void hold(float (&to)[Count], const float* from, bool inside) {
    if constexpr (Count == 4) {
      const float4 x = inside ? __ldg(reinterpret_cast<const float4*>(from)) : make_float4(0, 0, 0, 0);
      to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
    } else {
      to[0] = inside ? __ldg(from) : 0;
    }
  }

  // Starts the copies of the next tile, if there is one.
  __device__ void start(float* a_stage, float* b_stage, int n) {
    if (next * BK < k) {
      if ((next + 1) * BK <= k)
        copy<true>(a_stage, b_stage);
      else
        copy<false>(a_stage, b_stage);
      ++next;
#pragma unroll
      for (int i = 0; i < A_COPIES; ++i) a[i] += BK;
#pragma unroll
      for (int i = 0; i < B_COPIES; ++i) b[i] += static_cast<long long>(BK) * n;
    }
#if ASYNC
    end_group();
#endif
  }

  // Without asynchronous copies: writes what start() has loaded.
  __device__ void finish(float* a_stage, float* b_stage) {
#if !ASYNC
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const Place place = place_in_a(i);
      if (!has_a(i)) continue;
#pragma unroll
      for (int j = 0; j < A_VECTOR; ++j) a_stage[(place.column + j) * PADDED_M + place.row] = a_held[i][j];
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      const Place place = place_in_b(i);
      if (!has_b(i)) continue;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) b_stage[place.row * BN + place.column + j] = b_held[i][j];
    }
#endif
  }
};

__device__ inline void load(Fragment& fragment, const float* a_row, const float* b_row) {
#pragma unroll
  for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(fragment.a + i) = *reinterpret_cast<const float4*>(a_row + i * LANES_M);
#pragma unroll
  for (int j = 0; j < TN; j += 4) *reinterpret_cast<float4*>(fragment.b + j) = *reinterpret_cast<const float4*>(b_row + j * LANES_N);
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(16) float shared[];
  float* a_stages = shared;
  float* b_stages = shared + STAGES * A_STAGE;
  const Tile tile = tile_at(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, GROUP);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // Neighbouring lanes are two rows and LANES_N columns: a quarter of a warp reads few different vectors.
  const int lane_row = lane / (2 * LANES_N) * 2 + lane % 2, lane_column = lane / 2 % LANES_N;
  const int thread_row = warp / WARPS_N * (TM * LANES_M) + lane_row * 4;
  const int thread_column = warp % WARPS_N * (TN * LANES_N) + lane_column * 4;
  const int tiles = (k + BK - 1) / BK;
  float sum[TM][TN] = {};
  Fragment fragment[2];

  Copier copier(a, b, tile.row * BM, tile.column * BN, m, n, k);
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    copier.start(a_stages + stage * A_STAGE, b_stages + stage * B_STAGE, n);
    copier.finish(a_stages + stage * A_STAGE, b_stages + stage * B_STAGE);
  }
#if ASYNC
  wait_groups<STAGES - 2>();
#endif
  __syncthreads();

  int read = 0, write = STAGES - 1;
  const float* a_now = a_stages + thread_row;
  const float* b_now = b_stages + thread_column;
  load(fragment[0], a_now, b_now);
  for (int t = 0; t < tiles; ++t) {
#pragma unroll
    for (int p = 0; p < BK; ++p) {
      if (p == BK - 1) {
        // The next tile has to be there, and no thread may read the stage of this one any more.
#if ASYNC
        wait_groups<STAGES - 2>();
#else
        copier.finish(a_stages + write * A_STAGE, b_stages + write * B_STAGE);
#endif
        __syncthreads();
        read = read == STAGES - 1 ? 0 : read + 1;
        write = write == STAGES - 1 ? 0 : write + 1;
        a_now = a_stages + read * A_STAGE + thread_row;
        b_now = b_stages + read * B_STAGE + thread_column;
        load(fragment[(p + 1) % 2], a_now, b_now);
      } else {
        load(fragment[(p + 1) % 2], a_now + (p + 1) * PADDED_M, b_now + (p + 1) * BN);
      }
      if (p == 0) copier.start(a_stages + write * A_STAGE, b_stages + write * B_STAGE, n);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += fragment[p % 2].a[i] * fragment[p % 2].b[j];
    }
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const long long row = tile.row * BM + thread_row + i / 4 * 4 * LANES_M + i % 4;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < TN; j += VECTOR) {
      const int column = tile.column * BN + thread_column + j / 4 * 4 * LANES_N + j % 4;
      if (column >= n) continue;
#if VECTOR == 4
      *reinterpret_cast<float4*>(c + row * n + column) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
#else
      c[row * n + column] = sum[i][j];
#endif
    }
  }
}
