// A byte a thread and bin in shared memory, which nobody else touches: no atomics, and the same time for all
// keys. Lanes of a warp are in different banks; four warps share a word. Before a byte can overflow the block
// adds up all of them.

#include "keys.cuh"

constexpr int kWords = BLOCK_SIZE / 4;  // of a bin
constexpr int kTurns = 255 / kItems;    // tiles until bytes are added up
static_assert(BLOCK_SIZE % 128 == 0, "four warps share words");
static_assert(kItems <= 255, "a byte has to count the keys of a tile");

extern __shared__ unsigned words[];

// Each bin is one thread's.
__device__ inline void add_up(unsigned* totals, int bins) {
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK_SIZE) {
    unsigned sum = 0u;
    // Each thread begins with another word, so that they do not meet in a bank.
#pragma unroll 8
    for (int w = 0; w < kWords; ++w) {
      unsigned* const word = words + bin * kWords + (w + static_cast<int>(threadIdx.x)) % kWords;
      sum = __dp4a(*word, 0x01010101u, sum);
      *word = 0u;
    }
    totals[bin] += sum;
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    histogram(unsigned* counts, const unsigned* keys, unsigned* sums, unsigned* ended, int n, int bins) {
  unsigned* const totals = words + bins * kWords;
  for (int i = threadIdx.x; i < bins * (kWords + 1); i += BLOCK_SIZE) words[i] = 0u;
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  unsigned char* const mine = reinterpret_cast<unsigned char*>(words + warp / 4 * kLanes + lane) + warp % 4;
  int turns = 0;
  for_tiles(keys, n, [&](const Keys& tile) {
    tile.visit(bins, [=](int bin, bool is_there) {
      if (is_there) ++mine[bin * BLOCK_SIZE];
    });
    if (++turns < kTurns) return;
    add_up(totals, bins);
    turns = 0;
  });
  add_up(totals, bins);
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK_SIZE)
    if (totals[bin] > 0u) atomicAdd(sums + bin, totals[bin]);
  finish(counts, sums, ended, bins);
}
