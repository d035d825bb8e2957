#pragma once

// A tile of kTile elements, which a block scans; what its warps agree on.

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kWarps = BLOCK_SIZE / kLanes;
constexpr int kItems = VECTOR * VECTORS;
constexpr int kTile = BLOCK_SIZE * kItems;
static_assert(BLOCK_SIZE % kLanes == 0, "a block has to be made of whole warps");

// The sum of this lane's value and of those before it.
__device__ inline unsigned warp_scan(unsigned value) {
  const int lane = threadIdx.x % kLanes;
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const unsigned before = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

// What the pieces of the block's warps come to: before this warp's, and together. One barrier: before `sums`
// is written again, the block has to pass another.
struct BlockSums {
  unsigned before, all;
};

__device__ inline BlockSums block_sums(unsigned sum, unsigned* sums) {
  const int warp = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  const unsigned scanned = warp_scan(lane < kWarps ? sums[lane] : 0u);
  return {__shfl_sync(kAllLanes, scanned, warp) - sum, __shfl_sync(kAllLanes, scanned, kWarps - 1)};
}
