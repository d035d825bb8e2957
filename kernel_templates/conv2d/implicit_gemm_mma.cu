// Convolution of half numbers, channels last, as a matrix product by mma.sync: WARPS_M x WARPS_N warps share
// a tile of BM pixels and BN filters. STAGES tiles of A and B lie in shared memory.
constexpr int THREADS = WARPS_M * WARPS_N * 32;
#include "half_tile.cuh"
#include "pad_channels.cuh"

constexpr int WARP_M = BM / WARPS_M, WARP_N = BN / WARPS_N;
constexpr int ROW_BLOCKS = WARP_M / 16, COLUMN_BLOCKS = WARP_N / 8;
constexpr int STEPS = BK / 16;

struct Fragments {
  unsigned a[ROW_BLOCKS][4];
  unsigned b[COLUMN_BLOCKS / 2][4];
};

__device__ inline void load(Fragments& to, const half* a_stage, const half* b_stage, int step) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // Sixteen rows on, vectors are exchanged alike: the distance is constant.
  const half* a_row = a_stage + place(warp / WARPS_N * WARP_M + lane % 16, step * 2 + lane / 16);
  const half* b_row =
      b_stage + place(warp % WARPS_N * WARP_N + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2);
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) load_matrices<false>(to.a[i], a_row + i * 16 * BK);
#pragma unroll
  for (int j = 0; j < COLUMN_BLOCKS / 2; ++j) load_matrices<false>(to.b[j], b_row + j * 16 * BK);
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    conv2d(const half* __restrict__ image, const half* __restrict__ weight, half* __restrict__ out,
           Shape shape, int batch) {
  extern __shared__ __align__(128) half shared[];
  half* a_stages = shared;
  half* b_stages = shared + STAGES * A_STAGE;
  const Tile tile(shape, batch);
  Copier copier(image, weight, shape, tile);
  const int tiles = (copier.depth + BK - 1) / BK;
  float sums[ROW_BLOCKS][COLUMN_BLOCKS][4] = {};

  int next = 0;
  const auto start_next = [&](int stage) {
    if (next < tiles) copier.start(a_stages + stage * A_STAGE, b_stages + stage * B_STAGE);
    ++next;
    end_group();
  };
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) start_next(stage);
  wait_groups<STAGES - 2>();
  __syncthreads();

  Fragments fragments[2];
  int read = 0, write = STAGES - 1;
  load(fragments[0], a_stages, b_stages, 0);
  for (int t = 0; t < tiles; ++t) {
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
          multiply_add(sums[i][j], now.a[i], now.b[j / 2][j % 2 * 2], now.b[j / 2][j % 2 * 2 + 1]);
    }
  }
  wait_groups<0>();
  __syncthreads();  // the last tile's first numbers have been read ahead: results lie where it was

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  half* mine =
      shared + (warp / WARPS_N * WARP_M + lane / 4) * OUT_ROW + warp % WARPS_N * WARP_N + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < COLUMN_BLOCKS; ++j)
#pragma unroll
      for (int upper = 0; upper < 2; ++upper)
        *reinterpret_cast<unsigned*>(mine + (i * 16 + upper * 8) * OUT_ROW + j * 8) =
            pack(sums[i][j][upper * 2], sums[i][j][upper * 2 + 1]);
  __syncthreads();
  store_tile(out, shared, tile, shape.filters);
}
