// A cluster of CLUSTER blocks takes TOGETHER rows in a turn, for which gamma and beta are loaded once; each block
// keeps its part of the rows in registers. The blocks tell each other their mean and squared distances through
// distributed shared memory: long rows are read once, too. With STAGES and few clusters the rows of the next turns
// are on their way meanwhile.

#include "block_sums.cuh"
#include "staged_rows.cuh"
#include "turns.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    layer_norm(T* out, const T* in, const T* gamma, const T* beta, unsigned* drawn, int rows, int columns,
               float epsilon) {
  __shared__ Moments parts[2][TOGETHER][kLanes];
  __shared__ Moments blocks[2][TOGETHER][CLUSTER];
  __shared__ int numbers[Turns::kNumbers];
  __shared__ Meeting::Barrier barriers[2];
  // Where rows do not begin at a boundary, each needs its own.
  constexpr Weights weights_when = kAligned || (WEIGHTS == early && TOGETHER == 1) ? WEIGHTS : late;
  constexpr int ahead = kAligned ? (AHEAD < VECTORS ? AHEAD : VECTORS) : 0;
  const auto cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  StagedRows<T, kAligned> staged(in, rows, columns, rank * BLOCK_SIZE * VECTORS + threadIdx.x);
  WeightPair<T> weights[VECTORS];
  const auto load_weights_of = [&](int turn, int k) {
    weights[k] = load_weights(staged.row(turn, 0), gamma, beta, staged.position(k));
  };
  const auto load_all_weights = [&](int turn) {
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) load_weights_of(turn, k);
  };
  Meeting meeting(cluster, barriers);
  Turns turns(cluster, meeting, rows, drawn, numbers);
  for (int stage = 0; stage < STAGES; ++stage)
    staged.refill(turns.number(stage), turns.exists(turns.number(stage)));
  if (weights_when == kept) load_all_weights(0);
  for (int half = 0; turns.exists(turns.number()); half ^= 1) {
    const int turn = turns.number();
    const int later = turns.draw();
    Packed<T> packed[TOGETHER][VECTORS];
    staged.take(turn, packed);
    if (weights_when == early) load_all_weights(turn);
    float values[TOGETHER][VECTORS][kVector<T>];
    Moments block[TOGETHER];
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i) {
      const Row<T, kAligned> row = staged.row(turn, i);
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) row.values(packed[i][k], staged.position(k), values[i][k]);
      float sum = 0.0f;
      int count = 0;
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) {
        sum += sum_of<T>(values[i][k]);
        count += count_of(row, staged.position(k));
      }
      const float mean = sum / static_cast<float>(max(count, 1));
      float squares = 0.0f;
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) squares += squares_of(row, values[i][k], staged.position(k), mean);
      block[i] =
          block_sum(Moments{static_cast<float>(count), mean, squares}, Moments::nothing(), parts[half][i]);
    }
    staged.refill(turns.number(STAGES), turns.exists(turns.number(STAGES)));
    if (threadIdx.x < CLUSTER) {
#pragma unroll
      for (int i = 0; i < TOGETHER; ++i)
        meeting.send(&blocks[half][i][rank], block[i], static_cast<int>(threadIdx.x));
    }
    turns.tell(later);
    if (weights_when == late)
#pragma unroll
      for (int k = 0; k < ahead; ++k) load_weights_of(turn, k);
    meeting.meet(CLUSTER * TOGETHER * static_cast<int>(sizeof(Moments)) + Turns::kBytes);
    turns.next();
    Statistics of_row[TOGETHER];
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i) {
      Moments whole = blocks[half][i][0];
#pragma unroll
      for (int b = 1; b < CLUSTER; ++b) whole.add(blocks[half][i][b]);
      of_row[i] = whole.statistics(epsilon);
    }
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      if (weights_when == late && k + ahead < VECTORS) load_weights_of(turn, k + ahead);
#pragma unroll
      for (int i = 0; i < TOGETHER; ++i) {
        const Row<T, kAligned> row = staged.row(turn, i);
        if (weights_when == late && i > 0 && !kAligned)
          weights[k] = load_weights(row, gamma, beta, staged.position(k));
        normalise<T>(values[i][k], of_row[i], weights[k]);
        row.store(out, staged.position(k), values[i][k]);
      }
    }
  }
}
