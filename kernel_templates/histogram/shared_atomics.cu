// A histogram a block in shared memory, of which lanes have COPIES: those of a bin lie side by side. With 32
// of them each lane has a bank of its own, and no two lanes of a warp meet, whatever the keys are.

#include "runs.cuh"

extern __shared__ unsigned parts[];

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    histogram(unsigned* counts, const unsigned* keys, unsigned* sums, unsigned* ended, int n, int bins) {
  for (int i = threadIdx.x; i < bins * COPIES; i += BLOCK_SIZE) parts[i] = 0u;
  __syncthreads();
  const int copy = static_cast<int>(threadIdx.x) % COPIES;
  count_all(keys, n, bins, [=](int bin, unsigned count) { atomicAdd(parts + bin * COPIES + copy, count); });
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK_SIZE) {
    unsigned sum = 0u;
    // Each thread begins with another copy, so that they do not meet in a bank.
    for (int c = 0; c < COPIES; ++c) sum += parts[bin * COPIES + (c + copy) % COPIES];
    if (sum > 0u) atomicAdd(sums + bin, sum);
  }
  finish(counts, sums, ended, bins);
}
