// What is ordered in every other way that there is: no races.
#include <cooperative_groups.h>

extern "C" {
__constant__ float weights[4];
}

__global__ void first(float* out, const float* in, int n) {
  __shared__ float lanes[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  lanes[threadIdx.x] = in[i];
  // A shuffle orders the lanes that take part in it, and so does a vote of the block all of its threads.
  const float other = __shfl_xor_sync(0xffffffffu, in[i], 1);
  const int votes = __syncthreads_count(other == lanes[threadIdx.x ^ 1]);
  // Lanes of a part of a warp wait for each other alone.
  if (threadIdx.x % 32 < 8) {
    lanes[threadIdx.x] = other;
    __syncwarp(0xffu);
    lanes[threadIdx.x ^ 1] = weights[threadIdx.x % 4];
  }
  out[i] = votes;
}

__global__ void second(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = out[n - 1 - i];
  cooperative_groups::this_grid().sync();
  out[i] = value + in[i];
  // Whoever comes last has seen what the others did.
  __threadfence();
  if (atomicAdd(&out[n], 1.0f) == n - 1)
    for (int j = 0; j < n; ++j) out[j] = 0;
}
