// A block computes a square tile of C from tiles of A and B in shared memory; a thread computes OUTPUTS
// elements of a column.
constexpr int THREAD_ROWS = TILE / OUTPUTS;

__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                     int n, int k) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const long long row = static_cast<long long>(blockIdx.y) * TILE + y,
                  column = static_cast<long long>(blockIdx.x) * TILE + x;
  float sum[OUTPUTS] = {};
  for (int start = 0; start < k; start += TILE) {
#pragma unroll
    for (int i = 0; i < OUTPUTS; ++i) {
      const int tile_row = y + i * THREAD_ROWS;
      const long long a_row = row + i * THREAD_ROWS, b_row = start + tile_row;
      a_tile[tile_row][x] = a_row < m && start + x < k ? a[a_row * k + start + x] : 0;
      b_tile[tile_row][x] = b_row < k && column < n ? b[b_row * n + column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < TILE; ++p) {
      const float factor = b_tile[p][x];
#pragma unroll
      for (int i = 0; i < OUTPUTS; ++i) sum[i] += a_tile[y + i * THREAD_ROWS][p] * factor;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < OUTPUTS; ++i)
    if (row + i * THREAD_ROWS < m && column < n) c[(row + i * THREAD_ROWS) * n + column] = sum[i];
}
