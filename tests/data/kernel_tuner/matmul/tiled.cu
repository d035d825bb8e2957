// A block has a square of `a` and as many rows of `b` in shared memory; a thread computes a tile whose elements are a
// block apart.
__global__ void multiply(float* c, const float* a, const float* b, int n) {
  __shared__ float a_part[block_size_x][block_size_x];
  __shared__ float b_part[block_size_x][block_size_x * tile_size_x];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * block_size_x * tile_size_x + tx;
  const int y = blockIdx.y * block_size_y * tile_size_y + ty;
  float sum[tile_size_y][tile_size_x] = {};
  for (int k = 0; k < n; k += block_size_x) {
    __syncthreads();
    for (int i = 0; i < tile_size_y; ++i) {
      const int row = ty + i * block_size_y;
      a_part[row][tx] = a[(y + i * block_size_y) * n + k + tx];
      for (int j = 0; j < tile_size_x; ++j)
        b_part[row][tx + j * block_size_x] = b[(k + row) * n + x + j * block_size_x];
    }
    __syncthreads();
    for (int l = 0; l < block_size_x; ++l)
      for (int i = 0; i < tile_size_y; ++i)
        for (int j = 0; j < tile_size_x; ++j)
          sum[i][j] += a_part[ty + i * block_size_y][l] * b_part[l][tx + j * block_size_x];
  }
  for (int i = 0; i < tile_size_y; ++i)
    for (int j = 0; j < tile_size_x; ++j) c[(y + i * block_size_y) * n + x + j * block_size_x] = sum[i][j];
}
