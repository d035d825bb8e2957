// Convolution as a matrix product: filters x (channels and taps) times (channels and taps) x pixels of all
// images. The right matrix is not stored; its tiles are gathered from the images. STAGES tiles lie in shared
// memory: some are computed with while the next ones are on their way. ASYNC: by asynchronous copies, else
// through registers. A thread has TM filters of TN pixels, a warp LANES_M * TM filters of 32 / LANES_M * TN
// pixels.
#include "copy.cuh"
#include "taps.cuh"

constexpr int LANES_N = 32 / LANES_M;
constexpr int WARPS_M = BM / (TM * LANES_M), WARPS_N = BN / (TN * LANES_N);
constexpr int THREADS = WARPS_M * WARPS_N * 32;
constexpr int TAPS = SIZE * SIZE;
constexpr int A_STAGE = BK * BM, B_STAGE = BK * BN;

// What a thread copies: of A vectors of four; of B always the same PIXELS columns, of every B_ROWS-th row.
// Where a tile is no multiple of the block, or the block none of it, some threads have a column less.
constexpr int A_COPIES = (BM * BK / 4 + THREADS - 1) / THREADS;
constexpr int PIXELS = (BN + THREADS - 1) / THREADS;
constexpr int B_ROWS = BN > THREADS ? 1 : THREADS / BN;
constexpr int B_COPIES = (BK + B_ROWS - 1) / B_ROWS;

// One row of B: how far it is from a filter's first tap in the first channel, and which tap it is.
struct __align__(8) Row {
  unsigned offset;
  unsigned bits;
};

// Filters as tiles read them: transposed, rows of whole tiles, zeros where there is none. And what the rows
// of B are, with one tile more whose taps lie in no image.
__global__ void prepare_filters(const float* __restrict__ weight, float* __restrict__ transposed,
                                Row* __restrict__ rows, Shape shape) {
  const int depth = shape.channels * TAPS, columns = (shape.filters + BM - 1) / BM * BM;
  const int index = blockIdx.x * 256 + threadIdx.x, k = index / columns, filter = index % columns;
  if (k >= (depth + BK - 1) / BK * BK + BK) return;
  if (k < (depth + BK - 1) / BK * BK)
    transposed[index] =
        k < depth && filter < shape.filters ? weight[static_cast<long long>(filter) * depth + k] : 0;
  if (filter == 0) {
    const int tap = k % TAPS, r = tap / SIZE, s = tap % SIZE;
    rows[k] = {static_cast<unsigned>((k / TAPS * shape.height + r) * shape.width + s),
               k < depth ? tap_bits(r, s) : NEVER};
  }
}

struct Fragment {
  __align__(16) float a[TM];
  __align__(16) float b[TN];
};

struct Copier {
  const float* a;   // of the next tile
  const Row* rows;  // of the next tile but one
  int columns;      // of A
  int a_offset[A_COPIES];
  int b_row, b_column;
  const float* first_tap[PIXELS];  // of a pixel, in the first channel; it may lie before the image
  unsigned inside[PIXELS];
  Row next[B_COPIES];  // this thread's rows of the next tile
  float4 a_held[A_COPIES];
  float b_held[B_COPIES][PIXELS];

  __device__ Copier(const float* transposed, const float* images, const Row* all_rows, const Shape& shape,
                    int first_filter, int first_pixel, int pixels)
      : a(transposed + first_filter),
        rows(all_rows),
        columns((shape.filters + BM - 1) / BM * BM),
        b_row(threadIdx.x / BN),
        b_column(threadIdx.x % BN) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int index = i * THREADS + threadIdx.x;
      a_offset[i] = index / (BM / 4) * columns + index % (BM / 4) * 4;
    }
#pragma unroll
    for (int j = 0; j < PIXELS; ++j) {
      const Pixel pixel(shape, first_pixel + b_column + j * THREADS, pixels);
      first_tap[j] = images + ((static_cast<long long>(pixel.n) * shape.channels * shape.height + pixel.y) *
                                   shape.width +
                               pixel.x);
      inside[j] = pixel.inside;
    }
    look_up();
  }

  __device__ static bool has_a(int i) {
    return BM * BK / 4 % THREADS == 0 || i * THREADS + threadIdx.x < BM * BK / 4;
  }
  __device__ bool has_row(int i) const {
    return (BK % B_ROWS == 0 || b_row + i * B_ROWS < BK) &&
           (BN >= THREADS || THREADS % BN == 0 || b_row < B_ROWS);
  }
  __device__ bool has_column(int j) const {
    return BN < THREADS || BN % THREADS == 0 || b_column + j * THREADS < BN;
  }

  __device__ void look_up() {
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i)
      if (has_row(i)) {
        const uint2 row = __ldg(reinterpret_cast<const uint2*>(rows + b_row + i * B_ROWS));
        next[i] = {row.x, row.y};
      }
    rows += BK;
  }

  // Starts the copies of the next tile.
  __device__ void start(float* a_stage, float* b_stage) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      if (!has_a(i)) continue;
#if ASYNC
      copy_async_whole<16>(a_stage + (i * THREADS + threadIdx.x) * 4, a + a_offset[i]);
#else
      a_held[i] = __ldg(reinterpret_cast<const float4*>(a + a_offset[i]));
#endif
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      if (!has_row(i)) continue;
#pragma unroll
      for (int j = 0; j < PIXELS; ++j) {
        if (!has_column(j)) continue;
        const float* from = first_tap[j] + next[i].offset;
        const bool exists = is_inside(inside[j], next[i].bits);
#if ASYNC
        copy_async<4>(b_stage + (b_row + i * B_ROWS) * BN + b_column + j * THREADS, from, exists);
#else
        b_held[i][j] = exists ? __ldg(from) : 0;
#endif
      }
    }
    a += static_cast<long long>(BK) * columns;
    look_up();
  }

  // Without asynchronous copies: writes what start() has loaded.
  __device__ void finish(float* a_stage, float* b_stage) {
#if !ASYNC
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i)
      if (has_a(i)) *reinterpret_cast<float4*>(a_stage + (i * THREADS + threadIdx.x) * 4) = a_held[i];
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      if (!has_row(i)) continue;
#pragma unroll
      for (int j = 0; j < PIXELS; ++j)
        if (has_column(j)) b_stage[(b_row + i * B_ROWS) * BN + b_column + j * THREADS] = b_held[i][j];
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

// Four pixels at a time where images have a multiple of four.
__device__ inline void store(float* out, const float (&sum)[TM][TN], const Shape& shape, int filter,
                             int pixel, int pixels) {
  const int plane = shape.out_height() * shape.out_width();
  const bool by_four = plane % 4 == 0;
#pragma unroll
  for (int j = 0; j < TN; j += 4)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int mine = pixel + j * LANES_N + e;
      if (mine >= pixels || (by_four && e > 0)) break;
      float* to = out + static_cast<long long>(mine / plane) * shape.filters * plane + mine % plane;
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        const int row = filter + i / 4 * 4 * LANES_M + i % 4;
        if (row >= shape.filters) break;
        float* place = to + static_cast<long long>(row) * plane;
        if (by_four)
          *reinterpret_cast<float4*>(place) =
              make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
        else
          *place = sum[i][j + e];
      }
    }
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    conv2d(const float* __restrict__ image, const float* __restrict__ transposed,
           const Row* __restrict__ rows, float* __restrict__ out, Shape shape, int batch) {
  extern __shared__ __align__(16) float shared[];
  float* a_stages = shared;
  float* b_stages = shared + STAGES * A_STAGE;
  const int pixels = batch * shape.out_height() * shape.out_width();
  const int tiles_m = (shape.filters + BM - 1) / BM, tiles_n = (pixels + BN - 1) / BN;
  const int index = blockIdx.x;
  const int first_filter = (FILTERS_FIRST ? index % tiles_m : index / tiles_n) * BM;
  const int first_pixel = (FILTERS_FIRST ? index / tiles_m : index % tiles_n) * BN;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // Neighbouring lanes are two rows and LANES_N columns: a quarter of a warp reads few different vectors.
  const int lane_row = lane / (2 * LANES_N) * 2 + lane % 2, lane_column = lane / 2 % LANES_N;
  const int thread_row = warp / WARPS_N * (TM * LANES_M) + lane_row * 4;
  const int thread_column = warp % WARPS_N * (TN * LANES_N) + lane_column * 4;
  const int tiles = (shape.channels * TAPS + BK - 1) / BK;
  float sum[TM][TN] = {};
  Fragment fragment[2];

  Copier copier(transposed, image, rows, shape, first_filter, first_pixel, pixels);
  int started = 0;
  const auto start_next = [&](int stage) {
    if (started < tiles) copier.start(a_stages + stage * A_STAGE, b_stages + stage * B_STAGE);
    ++started;
#if ASYNC
    end_group();
#endif
  };
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    start_next(stage);
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
        load(fragment[(p + 1) % 2], a_now + (p + 1) * BM, b_now + (p + 1) * BN);
      }
      if (p == 0) start_next(write);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += fragment[p % 2].a[i] * fragment[p % 2].b[j];
    }
  }
#if ASYNC
  wait_groups<0>();
#endif
  store(out, sum, shape, first_filter + thread_row, first_pixel + thread_column, pixels);
}
