// Three kernels: sums of the shares of all blocks, a scan of these by one block, and scans of the shares. The
// elements are read twice. BACKWARDS: sums begin with a share's end, so that its begin, which the last kernel
// needs first, is still in L2.

#include "load.cuh"

// Tiles `first` to `end` are this block's share.
struct Share {
  int first, end;

  __device__ explicit Share(int n) {
    const int tiles = (n - 1) / kTile + 1;
    const int each = (tiles + static_cast<int>(gridDim.x) - 1) / static_cast<int>(gridDim.x);
    first = min(tiles, static_cast<int>(blockIdx.x) * each);
    end = min(tiles, first + each);
  }
};

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    sum_shares(unsigned* shares, const unsigned* in, int n) {
  __shared__ unsigned sums[kWarps];
  const Share share(n);
  unsigned sum = 0u;
  for (int t = share.first; t < share.end; ++t) {
    const int tile = BACKWARDS ? share.end - 1 - (t - share.first) : t;
    const Items items = load(in, static_cast<long long>(tile) * kTile, n);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < VECTOR; ++e) sum += items.element[k][e];
  }
  const BlockSums block = block_sums(__reduce_add_sync(kAllLanes, sum), sums);
  if (threadIdx.x == 0) shares[blockIdx.x] = block.all;
}

// In place, exclusive. One block, whatever the number of shares.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) scan_shares(unsigned* shares, int count) {
  __shared__ unsigned sums[2][kWarps];
  unsigned before = 0u;
  int turn = 0;
  for (int start = 0; start < count; start += BLOCK_SIZE) {
    const int i = start + static_cast<int>(threadIdx.x);
    const unsigned own = i < count ? shares[i] : 0u;
    const unsigned scanned = warp_scan(own);
    const BlockSums block = block_sums(__shfl_sync(kAllLanes, scanned, kLanes - 1), sums[turn]);
    if (i < count) shares[i] = before + block.before + scanned - own;
    before += block.all;
    turn ^= 1;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    scan(unsigned* out, const unsigned* in, const unsigned* shares, int n, int exclusive) {
  __shared__ unsigned sums[2][kWarps];
  const Share share(n);
  unsigned before = shares[blockIdx.x];
  int turn = 0;
  for (int tile = share.first; tile < share.end; ++tile) {
    const long long first = static_cast<long long>(tile) * kTile;
    Items items = load(in, first, n);
    const BlockSums block = block_sums(scan_piece(items, exclusive), sums[turn]);
    store(out, first, n, items, before + block.before);
    before += block.all;
    turn ^= 1;
  }
}
