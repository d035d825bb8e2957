// A cluster of CLUSTER blocks a row, each of which keeps its part in registers. The blocks tell each other
// their sums through distributed shared memory: long rows are read once, too.

#include <cooperative_groups.h>

#include "block_sums.cuh"

namespace cg = cooperative_groups;

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    softmax(T* out, const T* in, int rows, int columns) {
  __shared__ Sum parts[2][kLanes];
  __shared__ Sum blocks[2][CLUSTER];
  auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  const int start = rank * BLOCK_SIZE * VECTORS + threadIdx.x;
  cluster.sync();  // the others are there: their shared memory may be written
  int turn = 0;
  for (int r = blockIdx.x / CLUSTER; r < rows; r += gridDim.x / CLUSTER) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) packed[k] = row.load(in, (k * BLOCK_SIZE + start) * kVector<T>);
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) row.values(packed[k], (k * BLOCK_SIZE + start) * kVector<T>, values[k]);

    Sum mine = Sum::nothing();
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) mine.largest = fmaxf(mine.largest, values[k][e]);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) {
        values[k][e] = exponential(values[k][e], mine.largest);
        mine.sum += values[k][e];
      }
    const Sum block = block_sum(mine, parts[turn]);
    if (threadIdx.x < CLUSTER) {
      Sum* const of_other = cluster.map_shared_rank(&blocks[turn][0], static_cast<int>(threadIdx.x));
      of_other[rank] = block;
    }
    cluster.sync();
    Sum whole = blocks[turn][0];
#pragma unroll
    for (int b = 1; b < CLUSTER; ++b) whole.add(blocks[turn][b]);

    const float scale = exponential(mine.largest, whole.largest) / whole.sum;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) values[k][e] *= scale;
      row.store(out, (k * BLOCK_SIZE + start) * kVector<T>, values[k]);
    }
    turn ^= 1;
  }
}
