#include "length.h"

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    clusters(const float* __restrict__ chance, const float* __restrict__ data, float* sums, int shape, int longest) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const int length = row_length(chance[row / 32], shape, longest);
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  float sum = 0;
  for (int i = 0; i < length; ++i) sum += data[(row + i * 32) & 1023];
  sums[row] = sum;
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
