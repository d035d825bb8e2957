// SUB lanes of a warp share a row: neighbours read neighbouring non-zeros, UNROLL of them each at once.

constexpr int kLanes = 32;
static_assert(BLOCK_SIZE % kLanes == 0 && kLanes % SUB == 0, "a row's lanes have to be in one warp");

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    multiply(float* y, const int* row_starts, const int* columns, const float* values, const float* x,
             int rows) {
  const int lane = threadIdx.x % SUB;
  const long long all_threads = static_cast<long long>(gridDim.x) * BLOCK_SIZE;
  // All lanes of a warp take as many turns, since they add up together.
  for (long long thread = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
       thread / kLanes * (kLanes / SUB) < rows; thread += all_threads) {
    const long long row = thread / SUB;
    const int begin = row < rows ? row_starts[row] : 0;
    const int end = row < rows ? row_starts[row + 1] : 0;
    float sums[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sums[u] = 0.0f;
    int i = begin + lane;
    for (; i + (UNROLL - 1) * SUB < end; i += UNROLL * SUB) {
      int column[UNROLL];
      float value[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        column[u] = LOAD(columns + i + u * SUB);
        value[u] = LOAD(values + i + u * SUB);
      }
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) sums[u] = fmaf(value[u], __ldg(x + column[u]), sums[u]);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (i + u * SUB < end)
        sums[u] = fmaf(LOAD(values + i + u * SUB), __ldg(x + LOAD(columns + i + u * SUB)), sums[u]);
    float sum = 0.0f;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sum += sums[u];
#pragma unroll
    for (int distance = SUB / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0 && row < rows) y[row] = sum;
  }
}
