// A block a row, which it keeps in shared memory as it was read: the first pass reads it from memory, the
// second takes it from shared memory. A thread reads back only what it wrote, so that there is one barrier a
// row.

#include "running.cuh"

extern __shared__ uint4 stored[];

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    layer_norm(T* out, const T* in, const T* gamma, const T* beta, int rows, int columns, float epsilon) {
  __shared__ Moments parts[2][kLanes];
  Packed<T>* const vectors = reinterpret_cast<Packed<T>*>(stored);
  const int thread = threadIdx.x;
  int turn = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row<T, kAligned> row(r, rows, columns);
    const int count = (row.high + kVector<T> - 1) / kVector<T>;
    Running<T, kAligned> mine(in, row);
    for (int first = thread; first < count; first += BLOCK_SIZE * UNROLL) {
      Packed<T> packed[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) packed[u] = row.load(in, (first + u * BLOCK_SIZE) * kVector<T>);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        float values[kVector<T>];
        row.values(packed[u], (first + u * BLOCK_SIZE) * kVector<T>, values);
        mine.add(row, values, (first + u * BLOCK_SIZE) * kVector<T>);
        if (first + u * BLOCK_SIZE < count) vectors[first + u * BLOCK_SIZE] = packed[u];
      }
    }
    const Statistics of_row = block_sum(mine.result(), Moments::nothing(), parts[turn]).statistics(epsilon);
#pragma unroll UNROLL
    for (int v = thread; v < count; v += BLOCK_SIZE) {
      float values[kVector<T>];
      row.values(vectors[v], v * kVector<T>, values);
      normalise<T>(values, of_row, load_weights(row, gamma, beta, v * kVector<T>));
      row.store(out, v * kVector<T>, values);
    }
    turn ^= 1;
  }
}
