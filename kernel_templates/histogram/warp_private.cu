// A histogram for every WARPS_A_COPY warps in shared memory. Bins of one copy lie side by side. With MATCH
// lanes that have the same bin find each other first, and one of them adds for all.

#include "runs.cuh"

extern __shared__ unsigned parts[];

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    histogram(unsigned* counts, const unsigned* keys, unsigned* sums, unsigned* ended, int n, int bins) {
  constexpr int kCopies = (BLOCK_SIZE / kLanes + WARPS_A_COPY - 1) / WARPS_A_COPY;
  for (int i = threadIdx.x; i < bins * kCopies; i += BLOCK_SIZE) parts[i] = 0u;
  __syncthreads();
  unsigned* const mine = parts + static_cast<int>(threadIdx.x) / kLanes / WARPS_A_COPY * bins;
  if (MATCH) {
    const int lane = threadIdx.x % kLanes;
    visit_all(keys, n, bins, [=](int bin, bool is_there) {
      const unsigned equals = __match_any_sync(kAllLanes, is_there ? bin : -1);
      if (is_there && __ffs(static_cast<int>(equals)) - 1 == lane)
        atomicAdd(mine + bin, static_cast<unsigned>(__popc(equals)));
    });
  } else {
    count_all(keys, n, bins, [=](int bin, unsigned count) { atomicAdd(mine + bin, count); });
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK_SIZE) {
    unsigned sum = 0u;
    for (int c = 0; c < kCopies; ++c) sum += parts[c * bins + bin];
    if (sum > 0u) atomicAdd(sums + bin, sum);
  }
  finish(counts, sums, ended, bins);
}
