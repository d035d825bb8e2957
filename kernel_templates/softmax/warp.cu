// A warp a row, which it keeps in registers: read once, written once, no barrier.

#include "rows.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(32 * WARPS, MIN_BLOCKS)
    softmax(T* out, const T* in, int rows, int columns) {
  const int lane = threadIdx.x % kLanes;
  for (int r = blockIdx.x * WARPS + threadIdx.x / kLanes; r < rows; r += gridDim.x * WARPS) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) packed[k] = row.load(in, (k * kLanes + lane) * kVector<T>);
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) row.values(packed[k], (k * kLanes + lane) * kVector<T>, values[k]);

    float largest = kLowest;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) largest = fmaxf(largest, values[k][e]);
    largest = warp_largest(largest);

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) {
        values[k][e] = exponential(values[k][e], largest);
        sum += values[k][e];
      }
    const float scale = 1.0f / warp_sum(sum);

#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
#pragma unroll
      for (int e = 0; e < kVector<T>; ++e) values[k][e] *= scale;
      row.store(out, (k * kLanes + lane) * kVector<T>, values[k]);
    }
  }
}
