// The sum of each block's elements.
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 128
#endif

__global__ void block_sums(const float* in, float* sums, unsigned int n) {
  __shared__ float part[BLOCK_SIZE];
  const unsigned int thread = threadIdx.x;
  unsigned int i = blockIdx.x * (BLOCK_SIZE * 2) + thread;
  float own = 0;
  if (i < n) own = in[i];
  if (i + BLOCK_SIZE < n) own += in[i + BLOCK_SIZE];
  part[thread] = own;
  __syncthreads();
  for (unsigned int half = BLOCK_SIZE / 2; half > 0; half >>= 1) {
    if (thread < half) part[thread] += part[thread + half];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = part[0];
}
