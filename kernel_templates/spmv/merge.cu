// Equal shares of non-zeros and rows together. Ends of rows and non-zeros are merged by place into one list of steps; each block
// has BLOCK_SIZE x ITEMS of these, each thread ITEMS. A step adds a product or stores a row. Sums that go on in the next thread
// are handed on by a scan within the block, from block to block by carries.

#include "products.cuh"

constexpr int kTile = BLOCK_SIZE * ITEMS;

// A thread's or a warp's part: whether a row ends in it, and what comes after the last end.
struct Part {
  bool ends;
  float tail;
};

__device__ inline Part joined(const Part& before, const Part& after) {
  return {before.ends || after.ends, after.ends ? after.tail : before.tail + after.tail};
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    multiply(float* y, const int* row_starts, const int* columns, const float* values, const float* x,
             Carry* carries, int rows, int nonzeros) {
  __shared__ int memory[kTile + VECTOR];  // ends of rows, then products
  __shared__ int rows_before[2];
  __shared__ Part parts[kWarps];
  const int warp = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const int* const row_ends = row_starts + 1;
  const int begin = static_cast<int>(blockIdx.x) * kTile;
  const int length = min(kTile, rows + nonzeros - begin);
  // How many of the first `steps` steps are ends of rows.
  for (int w = warp; w < 2; w += kWarps) {
    const int steps = begin + (w == 0 ? 0 : length);
    const int ended = search(max(0, steps - nonzeros), min(steps, rows),
                             [=](int row) { return __ldg(row_ends + row) > steps - row - 1; });
    if (lane == 0) rows_before[w] = ended;
  }
  __syncthreads();
  const int first_row = rows_before[0], rows_here = rows_before[1] - rows_before[0];
  const int first = begin - first_row, here = length - rows_here;  // non-zeros
  const int aligned = first / VECTOR * VECTOR;
  int* const ends = memory;
  float* const products = reinterpret_cast<float*>(memory + rows_here);
  for (int i = threadIdx.x; i < rows_here; i += BLOCK_SIZE) ends[i] = __ldg(row_ends + first_row + i) - first;
  put_products<kTile + VECTOR - 1>(products, columns, values, x, aligned, first + here);
  __syncthreads();

  const int steps = min(length, static_cast<int>(threadIdx.x) * ITEMS);
  int low = max(0, steps - here), high = min(steps, rows_here);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] > steps - middle - 1)
      high = middle;
    else
      low = middle + 1;
  }
  int row = low, nonzero = steps - low;
  const int start_row = row;
  float sum = 0.0f, first_sum = 0.0f;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (steps + k >= length) break;
    if (row < rows_here && ends[row] <= nonzero) {
      if (row == start_row)
        first_sum = sum;
      else
        y[first_row + row] = sum;
      sum = 0.0f;
      ++row;
    } else {
      sum += products[first - aligned + nonzero];
      ++nonzero;
    }
  }

  const bool ends_here = row > start_row;
  Part part = {ends_here, sum};
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const Part before = {__shfl_up_sync(kAllLanes, static_cast<int>(part.ends), distance) != 0,
                         __shfl_up_sync(kAllLanes, part.tail, distance)};
    if (lane >= distance) part = joined(before, part);
  }
  float tail_before = __shfl_up_sync(kAllLanes, part.tail, 1);
  bool ends_before = __shfl_up_sync(kAllLanes, static_cast<int>(part.ends), 1) != 0;
  if (lane == 0) {
    tail_before = 0.0f;
    ends_before = false;
  }
  if (lane == kLanes - 1) parts[warp] = part;
  __syncthreads();
  Part warps_before = {false, 0.0f};
  for (int w = 0; w < warp; ++w) warps_before = joined(warps_before, parts[w]);
  if (!ends_before) tail_before += warps_before.tail;
  if (ends_here) y[first_row + start_row] = first_sum + tail_before;
  if (threadIdx.x == BLOCK_SIZE - 1) {
    const int open_row = first_row + rows_here;
    carries[blockIdx.x] = {open_row < rows ? open_row : -1, joined(warps_before, part).tail};
  }
}
