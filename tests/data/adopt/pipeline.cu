// Two kernels one after the other, as a program runs them.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void square(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] * in[i];
}

__global__ void difference(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  out[i] = in[i + 1] - in[i];
}

#define CHECK(call)                                        \
  do {                                                     \
    if ((call) != cudaSuccess) std::printf("failed\n");    \
  } while (0)

int main() {
  const int count = 1 << 22;
  const int threads = 128;
  const size_t bytes = count * sizeof(float);
  std::vector<float> host(count, 1.0f);
  float *d_in, *d_squares, *d_out;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc((void**)&d_squares, bytes));
  CHECK(cudaMalloc(&d_out, (count - 1) * sizeof(float)));
  CHECK(cudaMemcpy(d_in, host.data(), bytes, cudaMemcpyHostToDevice));
  const dim3 grid((count + threads - 1) / threads);
  square<<<grid, threads>>>(d_in, d_squares, count);
  difference<<<grid, threads>>>(d_squares, d_out, count);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
