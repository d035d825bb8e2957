// One pass: a block takes a tile, scans it, learns from the tiles before it what they come to, and stores.
// With TICKET tiles are numbered in the order in which blocks begin, so a block only ever waits for such as
// run already.

#include "load.cuh"
#include "look_back.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    scan(unsigned* out, const unsigned* in, unsigned long long* words, Counters* counters, int n,
         int exclusive) {
  __shared__ unsigned sums[kWarps];
  __shared__ unsigned before_tile;
  __shared__ unsigned taken;
  const unsigned execution = current_execution(counters);
  const int tiles = (n - 1) / kTile + 1;
  for (unsigned turn = 0;; ++turn) {
    unsigned tile = blockIdx.x + turn * gridDim.x;
    if (TICKET) {
      if (threadIdx.x == 0) taken = atomicAdd(&counters->taken, 1u);
      __syncthreads();
      tile = taken;
    }
    if (tile >= static_cast<unsigned>(tiles)) break;
    const long long first = static_cast<long long>(tile) * kTile;
    Items items = load(in, first, n);
    const BlockSums block = block_sums(scan_piece(items, exclusive), sums);
    if (threadIdx.x < kLanes) {
      const unsigned before = look_back(words, static_cast<int>(tile), execution, block.all);
      if (threadIdx.x == 0) before_tile = before;
    }
    __syncthreads();
    store(out, first, n, items, before_tile + block.before);
    if (BLOCKS == 0) break;
    __syncthreads();  // all have read before_tile
  }
  end_block(counters, execution);
}
