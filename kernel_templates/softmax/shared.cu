// A block a row, which it keeps in shared memory as it was read: the first pass reads it from memory and
// sums, the second takes it from shared memory. A thread reads back only what it wrote, so that there is one
// barrier a row.

#include "block_sums.cuh"

extern __shared__ uint4 kept[];

template <class T, bool kAligned>
__global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    softmax(T* out, const T* in, int rows, int columns) {
  __shared__ Sum parts[2][kLanes];
  Packed<T>* const vectors = reinterpret_cast<Packed<T>*>(kept);
  const int thread = threadIdx.x;
  int turn = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row<T, kAligned> row(r, rows, columns);
    const int count = (row.high + kVector<T> - 1) / kVector<T>;
    Sum mine = Sum::nothing();
    for (int first = thread; first < count; first += BLOCK_SIZE * UNROLL) {
      Packed<T> packed[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) packed[u] = row.load(in, (first + u * BLOCK_SIZE) * kVector<T>);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        float values[kVector<T>];
        row.values(packed[u], (first + u * BLOCK_SIZE) * kVector<T>, values);
        mine.add(values);
        if (first + u * BLOCK_SIZE < count) vectors[first + u * BLOCK_SIZE] = packed[u];
      }
    }
    const Sum whole = block_sum(mine, parts[turn]);
    const float scale = 1.0f / whole.sum;
#pragma unroll UNROLL
    for (int v = thread; v < count; v += BLOCK_SIZE) {
      const Packed<T> packed = vectors[v];
      float values[kVector<T>];
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e)
        values[e] = exponential(to_float(packed.element[e]), whole.largest) * scale;
      row.store(out, v * kVector<T>, values);
    }
    turn ^= 1;
  }
}
