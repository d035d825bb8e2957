// CUB's histogram of a block in shared memory, for BINS_IN_CODE bins. The keys of the last, incomplete tile
// are added one by one.

#include <cub/block/block_histogram.cuh>

#include "keys.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    histogram(unsigned* counts, const unsigned* keys, unsigned* sums, unsigned* ended, int n, int bins) {
  using Histogram = cub::BlockHistogram<unsigned, BLOCK_SIZE, kItems, BINS_IN_CODE, cub::HISTOGRAM_ALGORITHM>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ unsigned part[BINS_IN_CODE];
  Histogram(storage).InitHistogram(part);
  __syncthreads();
  for_tiles(keys, n, [&](const Keys& tile) {
    unsigned items[kItems];
    int i = 0, there = 0;
    tile.visit(bins, [&](int bin, bool is_there) {
      items[i++] = static_cast<unsigned>(bin);
      there += is_there ? 1 : 0;
    });
    if (__syncthreads_and(there == kItems)) {
      Histogram(storage).Composite(items, part);
      return;
    }
    tile.visit(bins, [=](int bin, bool is_there) {
      if (is_there) atomicAdd(sums + bin, 1u);
    });
  });
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK_SIZE)
    if (part[bin] > 0u) atomicAdd(sums + bin, part[bin]);
  finish(counts, sums, ended, bins);
}
