// A block a row of any length, which it reads twice: once for the sum, which is corrected whenever a larger
// element comes, and once more for the results. BACKWARDS: the second time from the end, of which the caches
// still have most.

#include "block_sums.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    softmax(T* out, const T* in, int rows, int columns) {
  __shared__ Sum parts[2][kLanes];
  const int thread = threadIdx.x;
  int turn = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row<T, kAligned> row(r, rows, columns);
    const int steps = (row.high + kVector<T> * BLOCK_SIZE * UNROLL - 1) / (kVector<T> * BLOCK_SIZE * UNROLL);
    Sum mine = Sum::nothing();
    for (int step = 0; step < steps; ++step) {
      const int first = step * UNROLL * BLOCK_SIZE + thread;
      Packed<T> packed[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) packed[u] = row.load(in, (first + u * BLOCK_SIZE) * kVector<T>);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        float values[kVector<T>];
        row.values(packed[u], (first + u * BLOCK_SIZE) * kVector<T>, values);
        mine.add(values);
      }
    }
    const Sum whole = block_sum(mine, parts[turn]);
    const float scale = 1.0f / whole.sum;
    for (int step = 0; step < steps; ++step) {
      const int first = (BACKWARDS ? steps - 1 - step : step) * UNROLL * BLOCK_SIZE + thread;
      Packed<T> packed[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) packed[u] = row.load(in, (first + u * BLOCK_SIZE) * kVector<T>);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        float values[kVector<T>];
        row.values(packed[u], (first + u * BLOCK_SIZE) * kVector<T>, values);
#pragma unroll
        for (int e = 0; e < kVector<T>; ++e) values[e] = exponential(values[e], whole.largest) * scale;
        row.store(out, (first + u * BLOCK_SIZE) * kVector<T>, values);
      }
    }
    turn ^= 1;
  }
}
