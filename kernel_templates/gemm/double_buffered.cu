// As registers.cu, with STAGES tiles of A and B in shared memory: some are computed with while the next ones
// are on their way. ASYNC: by asynchronous copies, which transpose A four bytes at a time; else through
// registers. A warp computes LANES_M * TM rows and 32 / LANES_M * TN columns.
#include "copy.cuh"
#include "schedule.cuh"

#if ASYNC && defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "asynchronous copies are of compute capability 8.0 on: ASYNC has to be false"
#endif

constexpr int LANES_N = 32 / LANES_M;
constexpr int WARPS_M = BM / (TM * LANES_M), WARPS_N = BN / (TN * LANES_N);
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int PADDED_M = BM + PAD;
constexpr int A_STAGE = BK * PADDED_M, B_STAGE = BK * BN;

// What a thread brings of a tile, in vectors. Of A neighbouring threads read 8 floats of a row, one sector,
// and then those of the next row. Its copies are in A_ROWS rows, and in the columns that follow at
// A_COLUMN_STEP; of B in B_COLUMNS places of a row, at B_ROW_STEP.
constexpr int A_VECTOR = ASYNC ? 1 : VECTOR;  // an asynchronous copy that transposes is of one float
constexpr int A_COPIES = (BM * BK / A_VECTOR + THREADS - 1) / THREADS,
              B_COPIES = (BK * BN / VECTOR + THREADS - 1) / THREADS;
constexpr int A_NEIGHBOURS = 8 / A_VECTOR, A_ROW_STEP = THREADS / A_NEIGHBOURS;
constexpr int A_ROWS = BM > A_ROW_STEP ? BM / A_ROW_STEP : 1,
              A_COLUMN_STEP = A_ROW_STEP > BM ? A_ROW_STEP / BM * 8 : 8;
constexpr int B_COLUMNS = BN > THREADS *VECTOR ? BN / (THREADS * VECTOR) : 1,
              B_ROW_STEP = B_COLUMNS > 1 ? 1 : THREADS *VECTOR / BN;
static_assert(BK % 2 == 0, "fragments in turns");
static_assert(BM % A_ROW_STEP == 0 || A_ROW_STEP % BM == 0);
static_assert(BN % (THREADS * VECTOR) == 0 || THREADS * VECTOR % BN == 0);

struct Fragment {
  __align__(16) float a[TM];
  __align__(16) float b[TN];
};

struct Copier {
  // Of the next tile to be copied; offsets of this thread's copies from there.
  const float* a;
  const float* b;
  unsigned a_offset[A_ROWS];
  unsigned b_offset[B_COLUMNS];
  int n;
  int left;                              // columns of A
  int a_row, a_column, b_row, b_column;  // the thread's first ones in a tile
  float a_held[A_COPIES][A_VECTOR];
  float b_held[B_COPIES][VECTOR];

  // Rows and columns beyond C are read from its last ones instead: what comes of them is not stored.
  __device__ Copier(const float* a_begin, const float* b_begin, int first_row, int first_column, int m,
                    int columns, int k)
      : a(a_begin + static_cast<long long>(first_row) * k), b(b_begin + first_column), n(columns), left(k) {
    const int thread = threadIdx.x;
    a_row = thread / A_NEIGHBOURS % BM;
    a_column = thread / (A_NEIGHBOURS * BM) * 8 + thread % A_NEIGHBOURS * A_VECTOR;
    b_row = thread * VECTOR / BN;
    b_column = thread * VECTOR % BN;
#pragma unroll
    for (int i = 0; i < A_ROWS; ++i)
      a_offset[i] = static_cast<unsigned>(min(a_row + i * A_ROW_STEP, m - 1 - first_row)) * k + a_column;
#pragma unroll
    for (int i = 0; i < B_COLUMNS; ++i)
      b_offset[i] =
          static_cast<unsigned>(b_row) * n + min(b_column + i * THREADS * VECTOR, n - VECTOR - first_column);
  }

  // The last copy of a thread may lie beyond the tile.
  __device__ bool has_a(int column) const {
    return BM * BK / A_VECTOR % THREADS == 0 || column < BK;
  }
  __device__ bool has_b(int row) const {
    return BK * BN / VECTOR % THREADS == 0 || row < BK;
  }

  template <bool Whole>
  __device__ void copy(float* a_stage, float* b_stage) {
    float* a_to = a_stage + a_column * PADDED_M + a_row;
    float* b_to = b_stage + b_row * BN + b_column;
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int across = i / A_ROWS * A_COLUMN_STEP, down = i % A_ROWS * A_ROW_STEP;
      if (!has_a(a_column + across)) continue;
      copy_one<A_VECTOR, Whole>(a_to + across * PADDED_M + down, a_held[i], a + a_offset[i % A_ROWS] + across,
                                a_column + across < left);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      const int across = i % B_COLUMNS * (THREADS * VECTOR), down = i / B_COLUMNS * B_ROW_STEP;
      if (!has_b(b_row + down)) continue;
      copy_one<VECTOR, Whole>(b_to + down * BN + across, b_held[i],
                              b + (b_offset[i % B_COLUMNS] + static_cast<unsigned>(down) * n),
                              b_row + down < left);
    }
  }

  template <int Count, bool Whole>
  __device__ static void copy_one(float* to, float (&held)[Count], const float* from, bool inside) {
#if ASYNC
    if constexpr (Whole)
      copy_async_whole<4 * Count>(to, from);
    else
      copy_async<4 * Count>(to, from, inside);
#else
    if constexpr (Count == 4) {
      const float4 x =
          Whole || inside ? __ldg(reinterpret_cast<const float4*>(from)) : make_float4(0, 0, 0, 0);
      held[0] = x.x, held[1] = x.y, held[2] = x.z, held[3] = x.w;
    } else {
      held[0] = Whole || inside ? __ldg(from) : 0;
    }
#endif
  }

  // Starts the copies of the next tile, if there is one.
  __device__ void start(float* a_stage, float* b_stage) {
    if (left > 0) {
      if (left >= BK)
        copy<true>(a_stage, b_stage);
      else
        copy<false>(a_stage, b_stage);
      left -= BK;
      a += BK;
      b += static_cast<long long>(BK) * n;
    }
#if ASYNC
    end_group();
#endif
  }

  // Without asynchronous copies: writes what start() has loaded.
  __device__ void finish(float* a_stage, float* b_stage) {
#if !ASYNC
    float* a_to = a_stage + a_column * PADDED_M + a_row;
    float* b_to = b_stage + b_row * BN + b_column;
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int across = i / A_ROWS * A_COLUMN_STEP, down = i % A_ROWS * A_ROW_STEP;
      if (!has_a(a_column + across)) continue;
#pragma unroll
      for (int j = 0; j < A_VECTOR; ++j) a_to[(across + j) * PADDED_M + down] = a_held[i][j];
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      const int across = i % B_COLUMNS * (THREADS * VECTOR), down = i / B_COLUMNS * B_ROW_STEP;
      if (!has_b(b_row + down)) continue;
#if VECTOR == 4
      *reinterpret_cast<float4*>(b_to + down * BN + across) =
          make_float4(b_held[i][0], b_held[i][1], b_held[i][2], b_held[i][3]);
#else
      b_to[down * BN + across] = b_held[i][0];
#endif
    }
#endif
  }
};

__device__ inline void load(Fragment& fragment, const float* a_row, const float* b_row) {
#pragma unroll
  for (int i = 0; i < TM; i += 4)
    *reinterpret_cast<float4*>(fragment.a + i) = *reinterpret_cast<const float4*>(a_row + i * LANES_M);
#pragma unroll
  for (int j = 0; j < TN; j += 4)
    *reinterpret_cast<float4*>(fragment.b + j) = *reinterpret_cast<const float4*>(b_row + j * LANES_N);
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
         int k) {
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
    copier.start(a_stages + stage * A_STAGE, b_stages + stage * B_STAGE);
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
      if (p == 0) copier.start(a_stages + write * A_STAGE, b_stages + write * B_STAGE);
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
      *reinterpret_cast<float4*>(c + row * n + column) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
#else
      c[row * n + column] = sum[i][j];
#endif
    }
  }
}
