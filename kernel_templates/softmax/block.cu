// A block a row, which its threads keep in registers: read once, written once. With ONE_BARRIER each thread
// takes the exponentials against its own largest element, and corrects them when it knows the row's; else the
// block first agrees on the largest, then on the sum.

#include "block_sums.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    softmax(T* out, const T* in, int rows, int columns) {
  // Two of each, in turns: a warp may be in the next row while another still reads.
  __shared__ float largest_parts[2][kLanes];
  __shared__ float sum_parts[2][kLanes];
  __shared__ Sum parts[2][kLanes];
  const int thread = threadIdx.x;
  int turn = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) packed[k] = row.load(in, (k * BLOCK_SIZE + thread) * kVector<T>);
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      row.values(packed[k], (k * BLOCK_SIZE + thread) * kVector<T>, values[k]);

    float largest = kLowest;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) largest = fmaxf(largest, values[k][e]);
    if (!ONE_BARRIER) largest = block_largest(largest, largest_parts[turn]);

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) {
        values[k][e] = exponential(values[k][e], largest);
        sum += values[k][e];
      }
    float scale;
    if (ONE_BARRIER) {
      const Sum whole = block_sum(Sum{largest, sum}, parts[turn]);
      scale = exponential(largest, whole.largest) / whole.sum;
    } else {
      scale = 1.0f / block_sum(sum, sum_parts[turn]);
    }

#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) values[k][e] *= scale;
      row.store(out, (k * BLOCK_SIZE + thread) * kVector<T>, values[k]);
    }
    turn ^= 1;
  }
}
