// The reference: every product is exact in float64, and so nearly is the sum. One thread an element of C,
// tiles of 32 x 32.
#include <cuda_fp16.h>

__device__ double number(float x) {
  return x;
}
__device__ double number(half x) {
  return __half2float(x);
}
__device__ void put(float* c, double x) {
  *c = static_cast<float>(x);
}
__device__ void put(half* c, double x) {
  *c = __double2half(x);
}

template <typename Number>
__device__ void multiply(const Number* a, const Number* b, Number* c, int m, int n, int k) {
  __shared__ double a_tile[32][33];
  __shared__ double b_tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  const long long row = blockIdx.y * 32LL + y, column = blockIdx.x * 32LL + x;
  double sum = 0;
  for (int start = 0; start < k; start += 32) {
    a_tile[y][x] = row < m && start + x < k ? number(a[row * k + start + x]) : 0;
    b_tile[y][x] =
        start + y < k && column < n ? number(b[static_cast<long long>(start + y) * n + column]) : 0;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && column < n) put(c + row * n + column, sum);
}

__global__ void gemm_float(const float* a, const float* b, float* c, int m, int n, int k) {
  multiply(a, b, c, m, n, k);
}
__global__ void gemm_half(const half* a, const half* b, half* c, int m, int n, int k) {
  multiply(a, b, c, m, n, k);
}
