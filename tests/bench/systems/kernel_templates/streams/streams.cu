#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif

__device__ float4 doubled(float4 value) {
  return make_float4(2 * value.x, 2 * value.y, 2 * value.z, 2 * value.w);
}

extern "C" __global__ void scalar(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  y[i] = 2 * x[i];
}

extern "C" __global__ void vector(const float4* __restrict__ x, float4* __restrict__ y) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  y[i] = doubled(x[i]);
}

extern "C" __global__ void batch(const float4* __restrict__ x, float4* __restrict__ y) {
  const int first = blockIdx.x * BLOCK_SIZE * 8 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 8; ++k) y[first + k * BLOCK_SIZE] = doubled(x[first + k * BLOCK_SIZE]);
}

extern "C" __global__ void loop(const float* __restrict__ x, float* __restrict__ y, int n) {
  for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE) y[i] = 2 * x[i];
}

extern "C" __global__ void space(const float* __restrict__ x, float* __restrict__ y) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int i = block * 256 + (threadIdx.z * 4 + threadIdx.y) * 16 + threadIdx.x;
  y[i] = 2 * x[i];
}

extern "C" __global__ void mirror(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float part[BLOCK_SIZE];
  const int first = blockIdx.x * BLOCK_SIZE;
  part[BLOCK_SIZE - 1 - threadIdx.x] = x[first + threadIdx.x];
  __syncthreads();
  y[first + threadIdx.x] = 2 * part[BLOCK_SIZE - 1 - threadIdx.x];
}
