// A block a row, which its threads keep in registers. With ONE_BARRIER each thread takes mean and squared
// distances of its own elements, and the block merges these; else the block first agrees on the mean.

#include "block_sums.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    layer_norm(T* out, const T* in, const T* gamma, const T* beta, int rows, int columns, float epsilon) {
  // Two of each, in turns: a warp may be in the next row while another still reads.
  __shared__ float sums[2][kLanes];
  __shared__ float squared[2][kLanes];
  __shared__ Moments parts[2][kLanes];
  const int thread = threadIdx.x;
  int turn = 0;
  WeightPair<T> weights[VECTORS];
  if (WEIGHTS == kept && kAligned) {
    const Row<T, kAligned> first(0, rows, columns);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      weights[k] = load_weights(first, gamma, beta, (k * BLOCK_SIZE + thread) * kVector<T>);
  }
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) packed[k] = row.load(in, (k * BLOCK_SIZE + thread) * kVector<T>);
    if (WEIGHTS == early)
#pragma unroll
      for (int k = 0; k < VECTORS; ++k)
        weights[k] = load_weights(row, gamma, beta, (k * BLOCK_SIZE + thread) * kVector<T>);
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      row.values(packed[k], (k * BLOCK_SIZE + thread) * kVector<T>, values[k]);

    float sum = 0.0f;
    int count = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      sum += sum_of<T>(values[k]);
      count += count_of(row, (k * BLOCK_SIZE + thread) * kVector<T>);
    }
    if (!ONE_BARRIER) {
      sum = block_sum(sum, 0.0f, sums[turn]);
      count = columns;
    }
    const float mean = sum / static_cast<float>(max(count, 1));
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      squares += squares_of(row, values[k], (k * BLOCK_SIZE + thread) * kVector<T>, mean);
    Moments moments = {static_cast<float>(count), mean, squares};
    if (ONE_BARRIER)
      moments = block_sum(moments, Moments::nothing(), parts[turn]);
    else
      moments.squares = block_sum(squares, 0.0f, squared[turn]);
    const Statistics of_row = moments.statistics(epsilon);

#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      if (WEIGHTS == late || (WEIGHTS == kept && !kAligned))
        weights[k] = load_weights(row, gamma, beta, (k * BLOCK_SIZE + thread) * kVector<T>);
      normalise<T>(values[k], of_row, weights[k]);
      row.store(out, (k * BLOCK_SIZE + thread) * kVector<T>, values[k]);
    }
    turn ^= 1;
  }
}
