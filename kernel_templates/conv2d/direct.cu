// A block has TILE_H x TILE_W pixels of FILTER_BLOCK filters; a thread PIXELS of them in a row, TILE_W / PIXELS
// apart, of FILTERS_EACH filters. What they need of CHANNEL_BLOCK channels, with its border, is in shared memory,
// and so are the weights.
#include "shape.cuh"

constexpr int LANES_X = TILE_W / PIXELS, LANES_F = FILTER_BLOCK / FILTERS_EACH;
constexpr int THREADS = LANES_X * TILE_H * LANES_F;
constexpr int IN_H = (TILE_H - 1) * STRIDE + SIZE, IN_W = (TILE_W - 1) * STRIDE + SIZE;
constexpr int TAPS = SIZE * SIZE, ROWS_UNROLLED = SIZE <= 3 ? SIZE : 1;
constexpr int FILTER_ROW = FILTER_BLOCK + 4;

__global__ void __launch_bounds__(THREADS)
    conv2d(const float* __restrict__ image, const float* __restrict__ weight, float* __restrict__ out,
           Shape shape) {
  __shared__ float pixels[CHANNEL_BLOCK][IN_H][IN_W];
  __shared__ __align__(16) float weights[CHANNEL_BLOCK * TAPS][FILTER_ROW];
  const int thread = threadIdx.x;
  const int lane_x = thread % LANES_X, lane_y = thread / LANES_X % TILE_H,
            lane_f = thread / (LANES_X * TILE_H);
  const int out_height = shape.out_height(), out_width = shape.out_width();
  const int tiles_x = (out_width + TILE_W - 1) / TILE_W;
  const int first_x = blockIdx.x % tiles_x * TILE_W, first_y = blockIdx.x / tiles_x * TILE_H;
  const int first_filter = blockIdx.y * FILTER_BLOCK;
  image += static_cast<long long>(blockIdx.z) * shape.channels * shape.height * shape.width;
  float sum[FILTERS_EACH][PIXELS] = {};

  for (int first = 0; first < shape.channels; first += CHANNEL_BLOCK) {
    for (int i = thread; i < CHANNEL_BLOCK * IN_H * IN_W; i += THREADS) {
      const int c = i / (IN_H * IN_W), y = i / IN_W % IN_H, x = i % IN_W;
      const int from_y = first_y * STRIDE - shape.padding + y, from_x = first_x * STRIDE - shape.padding + x;
      const bool inside = first + c < shape.channels && shape.inside(from_y, from_x);
      pixels[c][y][x] =
          inside ? image[(static_cast<long long>(first + c) * shape.height + from_y) * shape.width + from_x]
                 : 0;
    }
    for (int i = thread; i < FILTER_BLOCK * CHANNEL_BLOCK * TAPS; i += THREADS) {
      const int f = i / (CHANNEL_BLOCK * TAPS), tap = i % (CHANNEL_BLOCK * TAPS);
      const bool inside = first_filter + f < shape.filters && first + tap / TAPS < shape.channels;
      const long long row = static_cast<long long>(first_filter + f) * shape.channels + first;
      weights[tap][f] = inside ? weight[row * TAPS + tap] : 0;
    }
    __syncthreads();
#pragma unroll 1
    for (int c = 0; c < CHANNEL_BLOCK; ++c)
#pragma unroll ROWS_UNROLLED
      for (int r = 0; r < SIZE; ++r)
#pragma unroll
        for (int s = 0; s < SIZE; ++s) {
          float factor[FILTERS_EACH], x[PIXELS];
#pragma unroll
          for (int f = 0; f < FILTERS_EACH; ++f)
            factor[f] = weights[c * TAPS + r * SIZE + s][lane_f * FILTERS_EACH + f];
#pragma unroll
          for (int j = 0; j < PIXELS; ++j)
            x[j] = pixels[c][lane_y * STRIDE + r][(lane_x + j * LANES_X) * STRIDE + s];
#pragma unroll
          for (int f = 0; f < FILTERS_EACH; ++f)
#pragma unroll
            for (int j = 0; j < PIXELS; ++j) sum[f][j] += factor[f] * x[j];
        }
    __syncthreads();
  }

  const int y = first_y + lane_y;
#pragma unroll
  for (int f = 0; f < FILTERS_EACH; ++f) {
    const int filter = first_filter + lane_f * FILTERS_EACH + f;
#pragma unroll
    for (int j = 0; j < PIXELS; ++j) {
      const int x = first_x + lane_x + j * LANES_X;
      if (filter < shape.filters && y < out_height && x < out_width)
        out[((static_cast<long long>(blockIdx.z) * shape.filters + filter) * out_height + y) * out_width +
            x] = sum[f][j];
    }
  }
}
