// A block a row of any length, which it reads twice: for its mean and variance, and once more for the
// results. BACKWARDS: the second time from the end, of which the caches still have most.

#include "running.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    layer_norm(T* out, const T* in, const T* gamma, const T* beta, int rows, int columns, float epsilon) {
  __shared__ Moments parts[2][kLanes];
  const int thread = threadIdx.x;
  int turn = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row<T, kAligned> row(r, rows, columns);
    const int steps = (row.high + kVector<T> * BLOCK_SIZE * UNROLL - 1) / (kVector<T> * BLOCK_SIZE * UNROLL);
    Running<T, kAligned> mine(in, row);
    for (int step = 0; step < steps; ++step) {
      const int first = step * UNROLL * BLOCK_SIZE + thread;
      Packed<T> packed[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) packed[u] = row.load(in, (first + u * BLOCK_SIZE) * kVector<T>);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        float values[kVector<T>];
        row.values(packed[u], (first + u * BLOCK_SIZE) * kVector<T>, values);
        mine.add(row, values, (first + u * BLOCK_SIZE) * kVector<T>);
      }
    }
    const Statistics of_row = block_sum(mine.result(), Moments::nothing(), parts[turn]).statistics(epsilon);
    for (int step = 0; step < steps; ++step) {
      const int first = (BACKWARDS ? steps - 1 - step : step) * UNROLL * BLOCK_SIZE + thread;
      Packed<T> packed[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) packed[u] = row.load(in, (first + u * BLOCK_SIZE) * kVector<T>);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        float values[kVector<T>];
        row.values(packed[u], (first + u * BLOCK_SIZE) * kVector<T>, values);
        normalise<T>(values, of_row, load_weights(row, gamma, beta, (first + u * BLOCK_SIZE) * kVector<T>));
        row.store(out, (first + u * BLOCK_SIZE) * kVector<T>, values);
      }
    }
    turn ^= 1;
  }
}
