__device__ float sum_of_block(float mine) {
  __shared__ float sums[block_size_x];
  const int thread = threadIdx.x;
#if use_shuffle
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
  if (thread % 32 == 0) sums[thread / 32] = mine;
  int left = block_size_x / 32;
#else
  sums[thread] = mine;
  int left = block_size_x;
#endif
  __syncthreads();
  for (left /= 2; left > 0; left /= 2) {
    if (thread < left) sums[thread] += sums[thread + left];
    __syncthreads();
  }
  return sums[0];
}

__global__ void sum_parts(float* partial, const float* x, int n) {
  float sum = 0;
#pragma unroll unroll_factor
  for (long long i = (blockIdx.x * block_size_x + threadIdx.x) * (long long)vector_size; i < n;
       i += (long long)num_blocks * block_size_x * vector_size)
    for (int j = 0; j < vector_size; ++j) sum += x[i + j];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void sum_partial(float* total, const float* partial) {
  float sum = 0;
  for (int i = threadIdx.x; i < num_blocks; i += block_size_x) sum += partial[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *total = sum;
}
