// A cluster of CLUSTER blocks a row, each of which keeps its part in registers. The blocks tell each other
// their mean and squared distances through distributed shared memory: long rows are read once, too.

#include <cooperative_groups.h>

#include "block_sums.cuh"

namespace cg = cooperative_groups;

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    layer_norm(T* out, const T* in, const T* gamma, const T* beta, int rows, int columns, float epsilon) {
  __shared__ Moments parts[2][kLanes];
  __shared__ Moments blocks[2][CLUSTER];
  auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  const int start = rank * BLOCK_SIZE * VECTORS + threadIdx.x;
  cluster.sync();  // the others are there: their shared memory may be written
  int turn = 0;
  WeightPair<T> weights[VECTORS];
  if (WEIGHTS == kept && kAligned) {
    const Row<T, kAligned> first(0, rows, columns);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      weights[k] = load_weights(first, gamma, beta, (k * BLOCK_SIZE + start) * kVector<T>);
  }
  for (int r = blockIdx.x / CLUSTER; r < rows; r += gridDim.x / CLUSTER) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) packed[k] = row.load(in, (k * BLOCK_SIZE + start) * kVector<T>);
    if (WEIGHTS == early)
#pragma unroll
      for (int k = 0; k < VECTORS; ++k)
        weights[k] = load_weights(row, gamma, beta, (k * BLOCK_SIZE + start) * kVector<T>);
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) row.values(packed[k], (k * BLOCK_SIZE + start) * kVector<T>, values[k]);

    float sum = 0.0f;
    int count = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      sum += sum_of<T>(values[k]);
      count += count_of(row, (k * BLOCK_SIZE + start) * kVector<T>);
    }
    const float mean = sum / static_cast<float>(max(count, 1));
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      squares += squares_of(row, values[k], (k * BLOCK_SIZE + start) * kVector<T>, mean);
    const Moments block =
        block_sum(Moments{static_cast<float>(count), mean, squares}, Moments::nothing(), parts[turn]);
    if (threadIdx.x < CLUSTER) {
      Moments* const of_other = cluster.map_shared_rank(&blocks[turn][0], static_cast<int>(threadIdx.x));
      of_other[rank] = block;
    }
    cluster.sync();
    Moments whole = blocks[turn][0];
#pragma unroll
    for (int b = 1; b < CLUSTER; ++b) whole.add(blocks[turn][b]);
    const Statistics of_row = whole.statistics(epsilon);

#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      if (WEIGHTS == late || (WEIGHTS == kept && !kAligned))
        weights[k] = load_weights(row, gamma, beta, (k * BLOCK_SIZE + start) * kVector<T>);
      normalise<T>(values[k], of_row, weights[k]);
      row.store(out, (k * BLOCK_SIZE + start) * kVector<T>, values[k]);
    }
    turn ^= 1;
  }
}
