extern "C" {
__constant__ float filter[33 * 33];
}

// A block has what it needs of the input in shared memory, in rows that padding keeps off the same bank.
__global__ void convolve(float* output, const float* input, int width, int height) {
  constexpr int kWidth = block_size_x * tile_size_x + filter_width - 1;
  constexpr int kHeight = block_size_y * tile_size_y + filter_height - 1;
  __shared__ float part[kHeight][kWidth + (use_padding && kWidth % 32 == 0 ? 1 : 0)];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * block_size_x * tile_size_x, y = blockIdx.y * block_size_y * tile_size_y;
  for (int i = ty; i < kHeight && y + i < height + 32; i += block_size_y)
    for (int j = tx; j < kWidth && x + j < width + 32; j += block_size_x) {
      const float* const from = input + (y + i) * (width + 32) + x + j;
      part[i][j] = read_only ? __ldg(from) : *from;
    }
  __syncthreads();
  for (int v = ty; v < block_size_y * tile_size_y; v += block_size_y)
    for (int u = tx; u < block_size_x * tile_size_x; u += block_size_x) {
      float sum = 0;
      for (int i = 0; i < filter_height; ++i)
        for (int j = 0; j < filter_width; ++j) sum += part[v + i][u + j] * filter[i * filter_width + j];
      if (x + u < width && y + v < height) output[(y + v) * width + x + u] = sum;
    }
}
