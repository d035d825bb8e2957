// C = A * B for row-major matrices, by square tiles in shared memory.
#define TILE 16

__global__ void matmul(const float* A, const float* B, float* C, int rows, int inner, int columns) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < inner; first += TILE) {
    const int k = first + threadIdx.x, l = first + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < rows && k < inner ? A[row * inner + k] : 0;
    b[threadIdx.y][threadIdx.x] = l < inner && column < columns ? B[l * columns + column] : 0;
    __syncthreads();
    for (int j = 0; j < TILE; ++j) sum += a[threadIdx.y][j] * b[j][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns) C[row * columns + column] = sum;
}
