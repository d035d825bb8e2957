// Three kernels a pass: each block counts the digits of its share of tiles, the counts of each digit are summed up over the blocks before,
// and each block goes through its share again and puts the keys where they belong. Keys are read twice.

#include "tile.cuh"

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

// counts[digit][block]
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count_digits(unsigned* counts, const unsigned* in, int n, int shift) {
  __shared__ unsigned histograms[kWarps][kRadix];
  for (int i = threadIdx.x; i < kWarps * kRadix; i += BLOCK_SIZE) (&histograms[0][0])[i] = 0u;
  __syncthreads();
  const Share share(n);
  for (int t = share.end - 1; t >= share.first;
       --t) {  // backwards: the next reading begins with what was read last
    unsigned keys[ITEMS];
    const long long own = static_cast<long long>(t) * kTile + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) keys[k] = own + k * BLOCK_SIZE < n ? LOAD(in + own + k * BLOCK_SIZE) : 0u;
    count_keys<BLOCK_SIZE>(histograms[threadIdx.x / kLanes], keys, own, n, shift);
  }
  __syncthreads();
  if (threadIdx.x >= kRadix) return;
  unsigned sum = 0u;
  for (int w = 0; w < kWarps; ++w) sum += histograms[w][threadIdx.x];
  counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
}

// A block a digit: its counts become sums over the blocks before; totals[digit] is that of all.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    scan_counts(unsigned* counts, unsigned* totals, int blocks) {
  __shared__ unsigned sums[kWarps];
  __shared__ unsigned all;
  unsigned* const own = counts + static_cast<long long>(blockIdx.x) * blocks;
  unsigned before = 0u;
  for (int start = 0; start < blocks; start += BLOCK_SIZE) {
    const int i = start + static_cast<int>(threadIdx.x);
    const unsigned count = i < blocks ? own[i] : 0u;
    const unsigned here = before + sum_before(count, sums);
    if (i < blocks) own[i] = here;
    if (threadIdx.x == BLOCK_SIZE - 1) all = here + count;
    __syncthreads();
    before = all;
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    move_keys(unsigned* out, const unsigned* in, const unsigned* counts, const unsigned* totals, int n,
              int shift) {
  extern __shared__ __align__(16) unsigned char bytes[];
  Memory& memory = *reinterpret_cast<Memory*>(bytes);
  const Share share(n);
  const bool has_digit = threadIdx.x < kRadix;
  unsigned target = sum_before(has_digit ? totals[threadIdx.x] : 0u, memory.sums);
  if (has_digit) target += counts[threadIdx.x * gridDim.x + blockIdx.x];
  for (int t = share.first; t < share.end; ++t) {
    const long long first = static_cast<long long>(t) * kTile;
    unsigned keys[ITEMS], ranks[ITEMS];
    load_keys(keys, in, first, n);
    rank_in_warp(ranks, memory, keys, shift);
    __syncthreads();
    const unsigned count = count_in_tile(memory);
    const unsigned start = sum_before(count, memory.sums);
    if (has_digit) {
      memory.starts[threadIdx.x] = start;
      memory.targets[threadIdx.x] = target - start;
      target += count;
    }
    __syncthreads();
    put_in_order(memory, keys, ranks, shift);
    scatter(out, memory, first, n, shift);
    __syncthreads();
  }
}
