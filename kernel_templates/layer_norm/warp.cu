// A warp a row, which it keeps in registers: the mean first, then the distances to it; no barrier.

#include "rows.cuh"

template <class T, bool kAligned>
__global__ void __launch_bounds__(32 * WARPS, MIN_BLOCKS)
    layer_norm(T* out, const T* in, const T* gamma, const T* beta, int rows, int columns, float epsilon) {
  const int lane = threadIdx.x % kLanes;
  WeightPair<T> weights[VECTORS];
  if (WEIGHTS == kept && kAligned) {
    const Row<T, kAligned> first(0, rows, columns);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      weights[k] = load_weights(first, gamma, beta, (k * kLanes + lane) * kVector<T>);
  }
  for (int r = blockIdx.x * WARPS + threadIdx.x / kLanes; r < rows; r += gridDim.x * WARPS) {
    const Row<T, kAligned> row(r, rows, columns);
    Packed<T> packed[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) packed[k] = row.load(in, (k * kLanes + lane) * kVector<T>);
    if (WEIGHTS == early)
#pragma unroll
      for (int k = 0; k < VECTORS; ++k)
        weights[k] = load_weights(row, gamma, beta, (k * kLanes + lane) * kVector<T>);
    float values[VECTORS][kVector<T>];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) row.values(packed[k], (k * kLanes + lane) * kVector<T>, values[k]);

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) sum += sum_of<T>(values[k]);
    const float mean = warp_sum(sum) / static_cast<float>(columns);
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
      squares += squares_of(row, values[k], (k * kLanes + lane) * kVector<T>, mean);
    const Statistics of_row = statistics(mean, warp_sum(squares) / static_cast<float>(columns), epsilon);

#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      if (WEIGHTS == late || (WEIGHTS == kept && !kAligned))
        weights[k] = load_weights(row, gamma, beta, (k * kLanes + lane) * kVector<T>);
      normalise<T>(values[k], of_row, weights[k]);
      row.store(out, (k * kLanes + lane) * kVector<T>, values[k]);
    }
  }
}
