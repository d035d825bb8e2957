// What these do beside doubling adds 0 times an element, which a compiler may not leave out: the element might be infinite.

extern "C" __global__ void stream(const float4* x, float4* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 four = x[i];
  y[i] = make_float4(2 * four.x, 2 * four.y, 2 * four.z, 2 * four.w);
}

__device__ float sum_of_zeros(const float* row, float sum, int length) {
  for (int k = 0; k < length; ++k) sum = fmaf(row[(threadIdx.x + k) & 127], 0.0f, sum);
  return sum;
}

extern "C" __global__ void rows(const float* x, float* y) {
  const float* const row = x + blockIdx.x * 128;
  int length = 20 + blockIdx.x * 2654435761u % 81;
  if (blockIdx.x % 97 == 0) length *= 16;
  y[blockIdx.x * 128 + threadIdx.x] = sum_of_zeros(row, 2 * row[threadIdx.x], length);
}

extern "C" __global__ void steps(const float* x, float* y) {
  __shared__ float shared[512];
  const int i = blockIdx.x * 512 + threadIdx.x;
  float sum = 2 * x[i];
  shared[threadIdx.x] = x[i];
  for (int step = 1; step <= 16; ++step) {
    __syncthreads();
    sum = fmaf(shared[(threadIdx.x * step) & 511], 0.0f, sum);
    __syncthreads();
    shared[threadIdx.x] = sum;
  }
  y[i] = sum;
}

extern "C" __global__ void early(const float* x, float* y) {
  if (threadIdx.x >= 128) return;
  const float* const row = x + blockIdx.x * 128;
  y[blockIdx.x * 128 + threadIdx.x] = sum_of_zeros(row, 2 * row[threadIdx.x], 60);
}
