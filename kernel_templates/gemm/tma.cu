// Float32, with tiles that TMA brings whatever the length of a row. Its rows have to be a multiple of 16
// bytes apart, but may begin anywhere: four rows of a matrix are taken for one long row, and row 4 * g + r
// begins r rows' lengths into the g-th of these. So a box has every fourth row, and four boxes are a tile.
// Of A they lie one row after another, of BK floats in swizzled vectors of four; a warp computes LANES_M *
// TM of these rows and 32 / LANES_M * TN columns.
#include "schedule.cuh"
#include "wgmma.cuh"

constexpr int LANES_N = 32 / LANES_M;
constexpr int WARPS_M = BM / (TM * LANES_M), WARPS_N = BN / (TN * LANES_N);
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int A_BOX = BM / 4 * BK, B_BOX = BK / 4 * BN;  // floats
constexpr int STAGE = 4 * (A_BOX + B_BOX), STAGE_BYTES = 4 * STAGE;
static_assert(BK == 16 || BK == 32);
static_assert(BM % 32 == 0, "a box of A has whole atoms of the swizzle");

// Where rows are four by four not whole, those with r < rows % 4 are one more than the others: `more` ends
// with them, `whole` before. Nothing lies beyond a matrix so.
struct Map {
  const CUtensorMap& whole;
  const CUtensorMap& more;
};

__device__ inline void load_rows(float* to, int box, const Map& map, int rows, int length, int column,
                                 int row, Barrier* barrier) {
  for (int r = 0; r < 4; ++r)
    load_box(to + r * box, r < rows % 4 ? map.more : map.whole, r * length + column, row / 4, barrier);
}

// The vector of row `row` of A in shared memory for columns 4 * quad and the next three.
__device__ inline float4 a_vector(const float* a, int row, int quad) {
  const int key = BK == 16 ? row / 2 % 4 : row % 8;
  return *reinterpret_cast<const float4*>(a + row * BK + (quad ^ key) * 4);
}

__device__ inline float part(const float4& x, int i) {
  return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w;
}

__device__ inline void multiply_tile(float (&sum)[TM][TN], const float* a, const float* b, int first_row,
                                     int first_column) {
#pragma unroll
  for (int quad = 0; quad < BK / 4; ++quad) {
    float4 left[TM];
#pragma unroll
    for (int i = 0; i < TM; ++i) left[i] = a_vector(a, first_row + i * LANES_M, quad);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      __align__(16) float right[TN];
#pragma unroll
      for (int j = 0; j < TN; j += 4)
        *reinterpret_cast<float4*>(right + j) =
            *reinterpret_cast<const float4*>(b + r * B_BOX + quad * BN + first_column + j * LANES_N);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += part(left[i], r) * right[j];
    }
  }
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const __grid_constant__ CUtensorMap a_whole, const __grid_constant__ CUtensorMap a_more,
         const __grid_constant__ CUtensorMap b_whole, const __grid_constant__ CUtensorMap b_more,
         float* __restrict__ c, int m, int n, int k) {
  extern __shared__ unsigned char dynamic[];
  __shared__ Barrier full[STAGES];
  float* stages = reinterpret_cast<float*>(dynamic + (1024 - shared_address(dynamic) % 1024) % 1024);
  const Tile tile = tile_at(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, GROUP);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // As in double_buffered.cu: a quarter of a warp reads few different vectors.
  const int first_row = warp / WARPS_N * (TM * LANES_M) + lane / (2 * LANES_N) * 2 + lane % 2;
  const int first_column = warp % WARPS_N * (TN * LANES_N) + lane / 2 % LANES_N * 4;
  const int tiles = (k + BK - 1) / BK;
  float sum[TM][TN] = {};

  const auto start = [&](int t, int stage) {
    float* to = stages + stage * STAGE;
    arrive_with_bytes(full + stage, STAGE_BYTES);
    load_rows(to, A_BOX, {a_whole, a_more}, m, k, t * BK, tile.row * BM, full + stage);
    load_rows(to + 4 * A_BOX, B_BOX, {b_whole, b_more}, k, n, tile.column * BN, t * BK, full + stage);
  };
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) start_barrier(full + stage, 1);
    show_barriers();
    for (int t = 0; t < STAGES && t < tiles; ++t) start(t, t);
  }
  __syncthreads();

  int stage = 0, parity = 0;
  for (int t = 0; t < tiles; ++t) {
    wait(full + stage, parity);
    const float* a = stages + stage * STAGE;
    multiply_tile(sum, a, a + 4 * A_BOX, first_row, first_column);
    __syncthreads();  // no thread reads the stage any more
    if (threadIdx.x == 0 && t + STAGES < tiles) start(t + STAGES, stage);
    if (++stage == STAGES) stage = 0, parity ^= 1;
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int in_tile = first_row + i * LANES_M;  // in the order of shared memory
    const long long row = tile.row * BM + in_tile % (BM / 4) * 4 + in_tile / (BM / 4);
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int column = tile.column * BN + first_column + j / 4 * 4 * LANES_N + j % 4;
      if (column < n) c[row * n + column] = sum[i][j];
    }
  }
}
