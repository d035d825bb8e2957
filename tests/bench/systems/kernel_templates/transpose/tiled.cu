// The transpose of an n * n matrix. A block reads a tile row by row and writes it row by row, so that global memory is
// read and written in order; only shared memory is read along a column, where PADDING elements at the end of each row
// spread a column over the banks.

extern "C" __global__ void __launch_bounds__(TILE * ROWS)
    transpose(const float* __restrict__ matrix, float* __restrict__ transposed, int n) {
  __shared__ float tile[TILE][TILE + PADDING];
  const int left = blockIdx.x * TILE;
  const int top = blockIdx.y * TILE;

#pragma unroll
  for (int row = threadIdx.y; row < TILE; row += ROWS) {
    if (top + row < n && left + (int)threadIdx.x < n)
      tile[row][threadIdx.x] = matrix[(top + row) * n + left + threadIdx.x];
  }
  __syncthreads();
#pragma unroll
  for (int row = threadIdx.y; row < TILE; row += ROWS) {
    if (left + row < n && top + (int)threadIdx.x < n)
      transposed[(left + row) * n + top + threadIdx.x] = tile[threadIdx.x][row];
  }
}
