// One pass as in look_back.cu, with CUB's loads, scan and stores of a block.

#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include "look_back.cuh"

// What CUB calls with the block's sum, in the whole first warp.
struct Before {
  unsigned long long* words;
  int tile;
  unsigned execution;

  __device__ unsigned operator()(unsigned sum) const { return look_back(words, tile, execution, sum); }
};

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    scan(unsigned* out, const unsigned* in, unsigned long long* words, Counters* counters, int n,
         int exclusive) {
  using Load = cub::BlockLoad<unsigned, BLOCK_SIZE, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<unsigned, BLOCK_SIZE, cub::SCAN_ALGORITHM>;
  using Store = cub::BlockStore<unsigned, BLOCK_SIZE, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
    typename Store::TempStorage store;
  } storage;
  __shared__ unsigned taken;
  const unsigned execution = current_execution(counters);
  if (threadIdx.x == 0) taken = atomicAdd(&counters->taken, 1u);
  __syncthreads();
  const unsigned tile = taken;
  const long long first = static_cast<long long>(tile) * kTile;
  const int count = static_cast<int>(min(static_cast<long long>(kTile), n - first));
  unsigned items[kItems];
  if (count == kTile)
    Load(storage.load).Load(in + first, items);
  else
    Load(storage.load).Load(in + first, items, count, 0u);
  __syncthreads();
  Before before{words, static_cast<int>(tile), execution};
  if (exclusive)
    Scan(storage.scan).ExclusiveSum(items, items, before);
  else
    Scan(storage.scan).InclusiveSum(items, items, before);
  __syncthreads();
  if (count == kTile)
    Store(storage.store).Store(out + first, items);
  else
    Store(storage.store).Store(out + first, items, count);
  end_block(counters, execution);
}
