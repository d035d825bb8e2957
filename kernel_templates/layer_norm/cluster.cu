// A cluster of CLUSTER blocks a row, each of which keeps its part in registers. The blocks tell each other
// their mean and squared distances through distributed shared memory: long rows are read once, too. With
// STAGES and few clusters the next rows are on their way meanwhile.

#include <cooperative_groups.h>

#include "block_sums.cuh"
#include "staged_rows.cuh"

namespace cg = cooperative_groups;

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    layer_norm(T* out, const T* in, const T* gamma, const T* beta, int rows, int columns, float epsilon) {
  __shared__ Moments parts[2][kLanes];
  __shared__ Moments blocks[2][CLUSTER];
  auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  const int start = rank * BLOCK_SIZE * VECTORS + threadIdx.x;
  const int first_row = blockIdx.x / CLUSTER, step = gridDim.x / CLUSTER;
  StagedRows<T, kAligned> staged(in, rows, columns, start, first_row, step);
  cluster.sync();  // the others are there: their shared memory may be written
  int turn = 0;
  WeightPair<T> weights[VECTORS];
  if (WEIGHTS == kept && kAligned) {
    const Row<T, kAligned> first(0, rows, columns);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) weights[k] = load_weights(first, gamma, beta, staged.position(k));
  }
  for (int r = first_row; r < rows; r += step) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
    staged.take(row, packed);
    if (WEIGHTS == early)
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) weights[k] = load_weights(row, gamma, beta, staged.position(k));
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) row.values(packed[k], staged.position(k), values[k]);

    float sum = 0.0f;
    int count = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      sum += sum_of<T>(values[k]);
      count += count_of(row, staged.position(k));
    }
    const float mean = sum / static_cast<float>(max(count, 1));
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) squares += squares_of(row, values[k], staged.position(k), mean);
    const Moments block =
        block_sum(Moments{static_cast<float>(count), mean, squares}, Moments::nothing(), parts[turn]);
    staged.refill();
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
        weights[k] = load_weights(row, gamma, beta, staged.position(k));
      normalise<T>(values[k], of_row, weights[k]);
      row.store(out, staged.position(k), values[k]);
    }
    turn ^= 1;
  }
}
