// The products of `batch` pairs of matrices of size * size elements, row after row. The threads of a block with the
// same threadIdx.z compute one tile of one product; they bring TILE_K columns of a and rows of b to shared memory at a
// time, with zeros beyond the edges. All threads of a block meet at each barrier, those without a matrix too.

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y * MATRICES)
    multiply(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ product, int size,
             int batch) {
  __shared__ float rows_of_a[MATRICES][BLOCK_Y][TILE_K];
  __shared__ float columns_of_b[MATRICES][TILE_K][BLOCK_X];
  const int column = blockIdx.x * BLOCK_X + threadIdx.x;
  const int row = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int slot = threadIdx.z;
  const int matrix = blockIdx.z * MATRICES + slot;
  const bool has_matrix = matrix < batch;
  const size_t begin = (size_t)matrix * size * size;

  float sum = 0.0f;
  for (int start = 0; start < size; start += TILE_K) {
    for (int k = threadIdx.x; k < TILE_K; k += BLOCK_X) {
      const bool is_inside = has_matrix && row < size && start + k < size;
      rows_of_a[slot][threadIdx.y][k] = is_inside ? a[begin + row * size + start + k] : 0.0f;
    }
    for (int k = threadIdx.y; k < TILE_K; k += BLOCK_Y) {
      const bool is_inside = has_matrix && column < size && start + k < size;
      columns_of_b[slot][k][threadIdx.x] = is_inside ? b[begin + (start + k) * size + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE_K; ++k) sum += rows_of_a[slot][threadIdx.y][k] * columns_of_b[slot][k][threadIdx.x];
    __syncthreads();
  }
  if (has_matrix && row < size && column < size) product[begin + row * size + column] = sum;
}
