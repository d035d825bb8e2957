// Every pixel of the output is the weighted sum of filter_width x filter_height pixels of the input, which is that
// much larger. A block computes a tile of tile_size times its threads.

#ifndef kernel_tuner
#error "the macros of a tuner are missing"
#endif

#define tile_width (block_size_x * tile_size_x)
#define tile_height (block_size_y * tile_size_y)
#define halo_width (tile_width + filter_width - 1)
#define halo_height (tile_height + filter_height - 1)
// One more float a row, so that a column's floats lie in different banks.
#define halo_row (halo_width + use_padding)

__constant__ float d_filter[filter_height * filter_width];

__device__ float pixel(const float* input, int at) {
#if read_only
  return __ldg(input + at);
#else
  return input[at];
#endif
}

extern "C" __global__ void convolution_kernel(float* output, const float* input, const float* filter, int width,
                                              int height) {
  static_assert(grid_size_x * tile_width >= 50 && grid_size_y * tile_height >= 22, "the grid is too small");
  const int left = blockIdx.x * tile_width;
  const int top = blockIdx.y * tile_height;
  const int input_width = width + filter_width - 1;
#if use_shmem
  const int input_height = height + filter_height - 1;
  __shared__ float halo[halo_height * halo_row];
  const int thread = threadIdx.y * block_size_x + threadIdx.x;
  for (int i = thread; i < halo_width * halo_height; i += block_size_x * block_size_y) {
    const int x = i % halo_width, y = i / halo_width;
    const bool inside = left + x < input_width && top + y < input_height;
    halo[y * halo_row + x] = inside ? pixel(input, (top + y) * input_width + left + x) : 0.0f;
  }
  __syncthreads();
#endif
  for (int ty = 0; ty < tile_size_y; ++ty) {
    for (int tx = 0; tx < tile_size_x; ++tx) {
      const int x = threadIdx.x + tx * block_size_x;
      const int y = threadIdx.y + ty * block_size_y;
      if (left + x >= width || top + y >= height) continue;
      float sum = 0.0f;
      for (int row = 0; row < filter_height; ++row) {
#pragma unroll loop_unroll_factor_filter
        for (int column = 0; column < filter_width; ++column) {
#if use_cmem
          const float weight = d_filter[row * filter_width + column];
#else
          const float weight = filter[row * filter_width + column];
#endif
#if use_shmem
          sum += weight * halo[(y + row) * halo_row + x + column];
#else
          sum += weight * pixel(input, (top + y + row) * input_width + left + x + column);
#endif
        }
      }
      output[(top + y) * width + left + x] = sum;
    }
  }
}
