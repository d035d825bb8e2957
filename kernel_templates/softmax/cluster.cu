// A cluster of CLUSTER blocks takes TOGETHER rows in a turn; each block keeps its part of them in registers. The
// blocks tell each other their sums through distributed shared memory: long rows are read once, too. With STAGES
// and few clusters the rows of the next turns are on their way meanwhile.

#include "block_sums.cuh"
#include "staged_rows.cuh"
#include "turns.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    softmax(T* out, const T* in, unsigned* drawn, int rows, int columns) {
  __shared__ Sum parts[2][TOGETHER][kLanes];
  __shared__ Sum blocks[2][TOGETHER][CLUSTER];
  __shared__ int numbers[Turns::kNumbers];
  __shared__ Meeting::Barrier barriers[2];
  const auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  StagedRows<T, kAligned> staged(in, rows, columns, rank * BLOCK_SIZE * VECTORS + threadIdx.x);
  Meeting meeting(cluster, barriers);
  Turns turns(cluster, meeting, rows, drawn, numbers);
  for (int stage = 0; stage < STAGES; ++stage)
    staged.refill(turns.number(stage), turns.exists(turns.number(stage)));
  for (int half = 0; turns.exists(turns.number()); half ^= 1) {
    const int turn = turns.number();
    const int later = turns.draw();
    Packed<T> packed[TOGETHER][VECTORS];
    staged.take(turn, packed);
    float values[TOGETHER][VECTORS][kVector<T>];
    Sum mine[TOGETHER], block[TOGETHER];
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i) {
      const Row<T, kAligned> row = staged.row(turn, i);
      mine[i] = Sum::nothing();
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) row.values(packed[i][k], staged.position(k), values[i][k]);
#pragma unroll
      for (int k = 0; k < VECTORS; ++k)
#pragma unroll
        for (int e = 0; e < kVector<T>; ++e) mine[i].largest = fmaxf(mine[i].largest, values[i][k][e]);
#pragma unroll
      for (int k = 0; k < VECTORS; ++k)
#pragma unroll
        for (int e = 0; e < kVector<T>; ++e) {
          values[i][k][e] = exponential(values[i][k][e], mine[i].largest);
          mine[i].sum += values[i][k][e];
        }
      block[i] = block_sum(mine[i], parts[half][i]);
    }
    staged.refill(turns.number(STAGES), turns.exists(turns.number(STAGES)));
    if (threadIdx.x < CLUSTER) {
#pragma unroll
      for (int i = 0; i < TOGETHER; ++i)
        meeting.send(&blocks[half][i][rank], block[i], static_cast<int>(threadIdx.x));
    }
    turns.tell(later);
    meeting.meet(CLUSTER * TOGETHER * static_cast<int>(sizeof(Sum)) + Turns::kBytes);
    turns.next();
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i) {
      Sum whole = blocks[half][i][0];
#pragma unroll
      for (int b = 1; b < CLUSTER; ++b) whole.add(blocks[half][i][b]);
      const float scale = exponential(mine[i].largest, whole.largest) / whole.sum;
      const Row<T, kAligned> row = staged.row(turn, i);
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) {
#pragma unroll
        for (int e = 0; e < kVector<T>; ++e) values[i][k][e] *= scale;
        row.store(out, staged.position(k), values[i][k]);
      }
    }
  }
}
