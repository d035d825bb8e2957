#include "length.h"

// All sum data[(row + 32 i) % 1024]: 4 KiB that every SM keeps in L1.
__device__ float row_sum(const float* __restrict__ data, int row, int length) {
  float sum = 0;
  for (int i = 0; i < length; ++i) sum += data[(row + i * 32) & 1023];
  return sum;
}

extern "C" __global__ void plain(const float* __restrict__ chance, const float* __restrict__ data, float* sums,
                                 int shape, int longest) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const int length = row_length(chance[row / 32], shape, longest);
  if (length == 0) {
    sums[row] = 0;
    return;
  }
  sums[row] = row_sum(data, row, length);
}

extern "C" __global__ void plane(const float* __restrict__ chance, const float* __restrict__ data, float* sums,
                                 int shape, int longest) {
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int row = block * BLOCK_SIZE + threadIdx.y * 32 + threadIdx.x;
  sums[row] = row_sum(data, row, row_length(chance[row / 32], shape, longest));
}

extern "C" __global__ void tile(const float* __restrict__ chance, const float* __restrict__ data, float* sums,
                                int shape, int longest) {
  __shared__ float part[1024];
  for (int i = threadIdx.x; i < 1024; i += BLOCK_SIZE) part[i] = data[i];
  __syncthreads();
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const int length = row_length(chance[row / 32], shape, longest);
  float sum = 0;
  for (int i = 0; i < length; ++i) sum += part[(row + i * 32) & 1023];
  sums[row] = sum;
}

#ifdef BLOCKS
extern "C" __global__ void stride(const float* __restrict__ chance, const float* __restrict__ data, float* sums,
                                  int rows, int shape, int longest) {
  for (int row = blockIdx.x * BLOCK_SIZE + threadIdx.x; row < rows; row += gridDim.x * BLOCK_SIZE)
    sums[row] = row_sum(data, row, row_length(chance[row / 32], shape, longest));
}

extern "C" __global__ void stealing(const float* __restrict__ chance, const float* __restrict__ data, float* sums,
                                    int* ticket, int rows, int shape, int longest) {
  __shared__ int taken;
  for (;;) {
    if (threadIdx.x == 0) taken = atomicAdd(ticket, 1);
    __syncthreads();
    const int row = taken * BLOCK_SIZE + threadIdx.x;
    __syncthreads();
    if (row >= rows) return;
    sums[row] = row_sum(data, row, row_length(chance[row / 32], shape, longest));
  }
}
#endif

extern "C" __global__ void lower(const float* __restrict__ chance, const float* __restrict__ data, float* sums,
                                 int shape, int longest) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  sums[row] = row_sum(data, row, row_length(chance[row / 32], shape, longest));
}

extern "C" __global__ void upper(const float* __restrict__ chance, const float* __restrict__ data, float* sums,
                                 int shape, int longest) {
  const int row = (gridDim.x + blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  sums[row] = row_sum(data, row, row_length(chance[row / 32], shape, longest));
}
