// A cluster of CLUSTER blocks a row, each of which keeps its part in registers. The blocks tell each other
// their sums through distributed shared memory: long rows are read once, too. With STAGES and few clusters the
// next rows are on their way meanwhile.

#include <cooperative_groups.h>

#include "block_sums.cuh"
#include "staged_rows.cuh"

namespace cg = cooperative_groups;

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    softmax(T* out, const T* in, int rows, int columns) {
  __shared__ Sum parts[2][kLanes];
  __shared__ Sum blocks[2][CLUSTER];
  auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  const int start = rank * BLOCK_SIZE * VECTORS + threadIdx.x;
  const int first_row = blockIdx.x / CLUSTER, step = gridDim.x / CLUSTER;
  StagedRows<T, kAligned> staged(in, rows, columns, start, first_row, step);
  cluster.sync();  // the others are there: their shared memory may be written
  int turn = 0;
  for (int r = first_row; r < rows; r += step) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
    staged.take(row, packed);
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) row.values(packed[k], staged.position(k), values[k]);

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
    staged.refill();
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
      row.store(out, staged.position(k), values[k]);
    }
    turn ^= 1;
  }
}
