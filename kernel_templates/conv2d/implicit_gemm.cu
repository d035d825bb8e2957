// Convolution as a matrix product: filters x (channels and taps) times (channels and taps) x pixels of all
// images. The right matrix is not stored; its tiles are gathered from the images. A thread has TM filters of TN
// pixels. STAGES 2: the next tile is read while this one is multiplied.
#include "shape.cuh"

constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN, THREADS = THREADS_M * THREADS_N;
constexpr int TAPS = SIZE * SIZE;
constexpr int PADDED_M = BM + PAD;
constexpr int A_COPIES = (BM * BK + THREADS - 1) / THREADS;
constexpr int B_ROWS = THREADS / BN, B_COPIES = (BK + B_ROWS - 1) / B_ROWS;  // a thread copies one column
static_assert(THREADS % BN == 0);

struct Tiles {
  __align__(16) float a[BK][PADDED_M];
  __align__(16) float b[BK][BN];
};

// A thread's part of tiles: numbers of filters, and what one pixel needs of its image.
struct Copier {
  const float* weight;
  const float* image;  // the pixel's own
  Shape shape;
  int depth, first_filter;
  int y, x;  // of the first tap
  bool exists;
  float a_held[A_COPIES], b_held[B_COPIES];

  __device__ Copier(const float* weights, const float* images, const Shape& sizes, int filter, int pixel,
                    int pixels)
      : weight(weights), shape(sizes), depth(sizes.channels * TAPS), first_filter(filter) {
    const int out_width = shape.out_width(), plane = out_width * shape.out_height();
    exists = pixel < pixels;
    const int n = exists ? pixel / plane : 0, within = exists ? pixel % plane : 0;
    y = within / out_width * STRIDE - shape.padding;
    x = within % out_width * STRIDE - shape.padding;
    image = images + static_cast<long long>(n) * shape.channels * shape.height * shape.width;
  }

  __device__ void read(int start) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int index = i * THREADS + threadIdx.x, row = index / BK, p = start + index % BK;
      const bool inside = row < BM && first_filter + row < shape.filters && p < depth;
      a_held[i] = inside ? __ldg(weight + static_cast<long long>(first_filter + row) * depth + p) : 0;
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      const int row = threadIdx.x / BN + i * B_ROWS, p = start + row;
      const int channel = p / TAPS, tap = p % TAPS;
      const int from_y = y + tap / SIZE, from_x = x + tap % SIZE;
      const bool inside = exists && row < BK && p < depth && shape.inside(from_y, from_x);
      b_held[i] =
          inside ? __ldg(image + (static_cast<long long>(channel) * shape.height + from_y) * shape.width +
                         from_x)
                 : 0;
    }
  }

  __device__ void write(Tiles& to) const {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int index = i * THREADS + threadIdx.x;
      if (BM * BK % THREADS == 0 || index < BM * BK) to.a[index % BK][index / BK] = a_held[i];
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      const int row = threadIdx.x / BN + i * B_ROWS;
      if (BK % B_ROWS == 0 || row < BK) to.b[row][threadIdx.x % BN] = b_held[i];
    }
  }
};

__device__ inline void multiply(float (&sum)[TM][TN], const Tiles& tiles) {
  const int row = threadIdx.x / THREADS_N * 4, column = threadIdx.x % THREADS_N * 4;
#pragma unroll
  for (int p = 0; p < BK; ++p) {
    __align__(16) float left[TM];
    __align__(16) float right[TN];
#pragma unroll
    for (int i = 0; i < TM; i += 4)
      *reinterpret_cast<float4*>(left + i) =
          *reinterpret_cast<const float4*>(&tiles.a[p][i * THREADS_M + row]);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(right + j) =
          *reinterpret_cast<const float4*>(&tiles.b[p][j * THREADS_N + column]);
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sum[i][j] += left[i] * right[j];
  }
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    conv2d(const float* __restrict__ image, const float* __restrict__ weight, float* __restrict__ out,
           Shape shape, int batch) {
  __shared__ Tiles stages[STAGES];
  const int plane = shape.out_height() * shape.out_width(), pixels = batch * plane;
  const int tiles_m = (shape.filters + BM - 1) / BM, tiles_n = (pixels + BN - 1) / BN;
  const int index = blockIdx.x;
  const int first_filter = (FILTERS_FIRST ? index % tiles_m : index / tiles_n) * BM;
  const int first_pixel = (FILTERS_FIRST ? index / tiles_m : index % tiles_n) * BN;
  const int depth = shape.channels * TAPS;
  float sum[TM][TN] = {};

  Copier copier(weight, image, shape, first_filter, first_pixel + threadIdx.x % BN, pixels);
#if STAGES == 1
  for (int start = 0; start < depth; start += BK) {
    copier.read(start);
    copier.write(stages[0]);
    __syncthreads();
    multiply(sum, stages[0]);
    __syncthreads();
  }
#else
  copier.read(0);
  copier.write(stages[0]);
  __syncthreads();
  int now = 0;
  for (int start = BK; start < depth; start += BK, now ^= 1) {
    copier.read(start);
    multiply(sum, stages[now]);
    copier.write(stages[now ^ 1]);
    __syncthreads();
  }
  multiply(sum, stages[now]);
#endif

  const int row = threadIdx.x / THREADS_N * 4, column = threadIdx.x % THREADS_N * 4;
#pragma unroll
  for (int j = 0; j < TN; ++j) {
    const int pixel = first_pixel + j / 4 * 4 * THREADS_N + column + j % 4;
    if (pixel >= pixels) continue;
    float* to = out + static_cast<long long>(pixel / plane) * shape.filters * plane + pixel % plane;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int filter = first_filter + i / 4 * 4 * THREADS_M + row + i % 4;
      if (filter < shape.filters) to[static_cast<long long>(filter) * plane] = sum[i][j];
    }
  }
}
