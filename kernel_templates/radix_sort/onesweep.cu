// One reading counts the digits of all passes. Then each pass is one kernel: a block ranks a tile, says how many keys of each digit it has,
// and looks back over the tiles before it for where they go. Blocks draw their tiles from a counter, so they only wait for such
// as run already.

#include "tile.cuh"

// A word of a tile and digit: how many keys there are in this tile, or in all up to its end. 0: nothing is known.
constexpr unsigned kOwn = 1u << 30, kWhole = 2u << 30, kCount = kOwn - 1u;

// All 0 at first. The last block to end prepares the next kernel.
struct Counters {
  unsigned counted;  // blocks of count_digits that have ended
  unsigned taken;    // tiles
  unsigned ended;    // blocks of move_keys
  unsigned turn;     // launches of move_keys so far: its words are set turn % 2
};

__device__ inline unsigned read_word(unsigned* address) {
#ifdef __CUDA_ARCH__
  unsigned word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(address) : "memory");
  return word;
#else
  return atomicAdd(address, 0u);
#endif
}

__device__ inline void write_word(unsigned* address, unsigned word) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(address), "r"(word) : "memory");
#else
  atomicExch(address, word);
#endif
}

// starts[pass][digit]: how many keys have a smaller digit. `totals` is zeros before and after.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count_digits(unsigned* starts, unsigned* totals, Counters* counters, const unsigned* in, int n, int shift,
                 int passes) {
  extern __shared__ __align__(16) unsigned histograms[];  // a set for every pass
  __shared__ unsigned sums[kWarps];
  __shared__ bool is_last;
  for (int i = threadIdx.x; i < passes * kRadix; i += BLOCK_SIZE) histograms[i] = 0u;
  __syncthreads();
  const long long all = static_cast<long long>(gridDim.x) * kTile;
  for (long long first = static_cast<long long>(blockIdx.x) * kTile; first < n; first += all) {
    unsigned keys[ITEMS];
    load_keys(keys, in, first, n);
    const long long own = first + threadIdx.x / kLanes * (kLanes * ITEMS) + threadIdx.x % kLanes;
    for (int pass = 0; pass < passes; ++pass)
      count_keys<kLanes>(histograms + pass * kRadix, keys, own, n, shift + pass * BITS);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < passes * kRadix; i += BLOCK_SIZE)
    if (histograms[i] != 0u) atomicAdd(totals + i, histograms[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&counters->counted, 1u) == gridDim.x - 1u;
  __syncthreads();
  if (!is_last) return;
  for (int pass = 0; pass < passes; ++pass) {
    const int i = pass * kRadix + threadIdx.x;
    const unsigned total = threadIdx.x < kRadix ? atomicExch(totals + i, 0u) : 0u;
    const unsigned start = sum_before(total, sums);
    if (threadIdx.x < kRadix) starts[i] = start;
  }
  if (threadIdx.x == 0) counters->counted = 0u;
}

// How many keys of a digit the tiles before have; `words` are the digit's.
__device__ inline unsigned look_back(unsigned* words, int tile) {
  unsigned before = 0u;
  for (int last = tile - 1; last >= 0;) {
    unsigned word[LOOK];
#pragma unroll
    for (int i = 0; i < LOOK; ++i) word[i] = last - i >= 0 ? read_word(words + (last - i) * kRadix) : kWhole;
    int seen = 0;
#pragma unroll
    for (int i = 0; i < LOOK; ++i)
      if (seen == i && word[i] != 0u) {
        before += word[i] & kCount;
        if (word[i] >= kWhole) return before;
        ++seen;
      }
    last -= seen;
    if (seen == 0 && SLEEP > 0) __nanosleep(SLEEP);
  }
  return before;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    move_keys(unsigned* out, const unsigned* in, const unsigned* starts, unsigned* words, Counters* counters,
              int n, int shift, int pass, int tiles) {
  extern __shared__ __align__(16) unsigned char bytes[];
  Memory& memory = *reinterpret_cast<Memory*>(bytes);
  const unsigned turn = counters->turn;
  if (threadIdx.x == 0) memory.taken = atomicAdd(&counters->taken, 1u);
  __syncthreads();
  const int tile = static_cast<int>(memory.taken);
  unsigned* const own_words = words + static_cast<long long>(turn % 2u) * tiles * kRadix + threadIdx.x;
  unsigned* const next_words = words + static_cast<long long>(1u - turn % 2u) * tiles * kRadix + threadIdx.x;
  const long long first = static_cast<long long>(tile) * kTile;
  const bool has_digit = threadIdx.x < kRadix;
  unsigned keys[ITEMS], ranks[ITEMS];
  load_keys(keys, in, first, n);
  rank_in_warp(ranks, memory, keys, shift + pass * BITS);
  __syncthreads();
  const unsigned count = count_in_tile(memory);
  if (has_digit) {
    write_word(own_words + tile * kRadix, (tile == 0 ? kWhole : kOwn) | count);
    next_words[tile * kRadix] = 0u;
  }
  const unsigned start = sum_before(count, memory.sums);
  if (has_digit) memory.starts[threadIdx.x] = start;
  __syncthreads();
  put_in_order(memory, keys, ranks, shift + pass * BITS);  // others get time to say what they have
  if (has_digit) {
    const unsigned before = look_back(own_words, tile);
    if (tile > 0) write_word(own_words + tile * kRadix, kWhole | (before + count));
    memory.targets[threadIdx.x] = starts[pass * kRadix + threadIdx.x] + before - start;
  }
  __syncthreads();
  scatter(out, memory, first, n, shift + pass * BITS);

  if (threadIdx.x != 0 || atomicAdd(&counters->ended, 1u) != gridDim.x - 1u) return;
  counters->taken = 0u;
  counters->ended = 0u;
  counters->turn = turn + 1u;
}
