// y = x + x^2 + ... + x^terms, by Horner's rule. Zeros stay zero, so that they need not be computed.

namespace {

__device__ __forceinline__ float power_sum(float x, int terms) {
  float sum = 0;
  for (int term = 0; term < terms; ++term) sum = fmaf(sum, x, x);
  return sum;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) plain(const float* x, float* y, int n, int terms) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i < n) y[i] = power_sum(x[i], terms);
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) packed(const float* x, float* y, int n, int terms) {
  __shared__ float values[BLOCK_SIZE];
  __shared__ int places[BLOCK_SIZE];
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const float own = i < n ? x[i] : 0;
  if (own != 0) {
    const int place = atomicAdd(&count, 1);
    values[place] = own;
    places[place] = i;
  } else if (i < n) {
    y[i] = 0;
  }
  __syncthreads();
  if (threadIdx.x < count) y[places[threadIdx.x]] = power_sum(values[threadIdx.x], terms);
}
