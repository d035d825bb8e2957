// Equal shares of non-zeros: a block has BLOCK_SIZE x ITEMS of them, whatever rows they are of. Products go to shared memory; then SUB
// lanes add up each of the rows that begin in the tile. What the tile has of a row that began before is a carry.

#include "products.cuh"

constexpr int kTile = BLOCK_SIZE * ITEMS;
static_assert(ITEMS % VECTOR == 0 && kLanes % SUB == 0, "whole vectors a thread, a row's lanes in one warp");

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    multiply(float* y, const int* row_starts, const int* columns, const float* values, const float* x,
             Carry* carries, int rows, int nonzeros) {
  __shared__ float products[kTile];
  __shared__ int rows_begin[2];
  __shared__ float sums[kWarps];
  const int warp = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const bool is_last = blockIdx.x == gridDim.x - 1;
  const int begin = static_cast<int>(blockIdx.x) * kTile;
  const int end = min(nonzeros, begin + kTile);
  // The rows that begin here; those without non-zeros at the very end are the last tile's.
  for (int w = warp; w < 2; w += kWarps) {
    const int start = w == 0 ? begin : end;
    const int row =
        w == 1 && is_last ? rows : search(0, rows, [=](int r) { return __ldg(row_starts + r) >= start; });
    if (lane == 0) rows_begin[w] = row;
  }
  put_products<kTile>(products, columns, values, x, begin, end);
  __syncthreads();

  const int first = rows_begin[0], after = rows_begin[1];
  for (int thread = threadIdx.x; first + thread / kLanes * (kLanes / SUB) < after; thread += BLOCK_SIZE) {
    const int row = first + thread / SUB;
    float sum = 0.0f;
    if (row < after) {
      const int row_end = min(__ldg(row_starts + row + 1), end) - begin;
      for (int i = __ldg(row_starts + row) - begin + lane % SUB; i < row_end; i += SUB) sum += products[i];
    }
#pragma unroll
    for (int distance = SUB / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(kAllLanes, sum, distance);
    if (lane % SUB == 0 && row < after) y[row] = sum;
  }

  const int carried = min(end, __ldg(row_starts + first)) - begin;  // of the row before `first`
  if (carried <= 0) {
    if (threadIdx.x == 0) carries[blockIdx.x] = {-1, 0.0f};
    return;
  }
  float sum = 0.0f;
  for (int i = threadIdx.x; i < carried; i += BLOCK_SIZE) sum += products[i];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < kWarps; ++w) sum += sums[w];
  carries[blockIdx.x] = {first - 1, sum};
}
