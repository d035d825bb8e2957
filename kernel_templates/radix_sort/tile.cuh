#pragma once

// A tile of kTile keys, which a block puts in the order of their digits. Each warp has a piece of 32 x ITEMS neighbours; a thread's keys lie
// 32 apart, so every load of a warp is one line, and the order of turns and lanes is that of the keys.

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kWarps = BLOCK_SIZE / kLanes;
constexpr int kRadix = 1 << BITS;
constexpr int kTile = BLOCK_SIZE * ITEMS;
static_assert(BLOCK_SIZE % kLanes == 0, "a block has to be made of whole warps");
static_assert(kRadix <= BLOCK_SIZE, "each digit needs a thread");

enum Matching { match, ballots, masks };

__device__ inline unsigned digit_of(unsigned key, int shift) {
  return (key >> shift) & (kRadix - 1u);
}

// Dynamic shared memory.
struct Memory {
  unsigned keys[kTile];
  unsigned counts[kWarps]
                 [kRadix];   // by warp: keys of a digit so far, then where its next one goes in the tile
  unsigned starts[kRadix];   // where a digit begins in the tile
  unsigned targets[kRadix];  // where it goes in memory, less `starts`
  unsigned sums[kWarps];
  unsigned taken;
  unsigned lanes[MATCHING == masks ? kWarps : 1][MATCHING == masks ? kRadix : 1];
};

// Keys beyond the last are the largest there are: behind all others of the tile, whatever the digit.
__device__ inline void load_keys(unsigned (&keys)[ITEMS], const unsigned* in, long long first, long long n) {
  const long long own = first + threadIdx.x / kLanes * (kLanes * ITEMS) + threadIdx.x % kLanes;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) keys[k] = own + k * kLanes < n ? LOAD(in + own + k * kLanes) : 0xffffffffu;
}

// Counts digits of keys `own`, `own` + kStride, ... as far as there are such. RUNS: equal ones that follow one another are one addition.
template <int kStride>
__device__ inline void count_keys(unsigned* histogram, const unsigned (&keys)[ITEMS], long long own,
                                  long long n, int shift) {
  unsigned current = digit_of(keys[0], shift), count = 0u;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (own + k * kStride >= n) break;
    const unsigned digit = digit_of(keys[k], shift);
    if (!RUNS) {
      atomicAdd(histogram + digit, 1u);
      continue;
    }
    if (digit != current) {
      atomicAdd(histogram + current, count);
      current = digit;
      count = 0u;
    }
    ++count;
  }
  if (RUNS && count > 0u) atomicAdd(histogram + current, count);
}

// The lanes of the warp whose keys have the same digit.
__device__ inline unsigned same_digit(Memory& memory, unsigned digit) {
  if constexpr (MATCHING == match) {
    return __match_any_sync(kAllLanes, digit);
  } else if constexpr (MATCHING == ballots) {
    unsigned same = kAllLanes;
#pragma unroll
    for (int bit = 0; bit < BITS; ++bit) {
      const bool is_set = (digit >> bit & 1u) != 0u;
      const unsigned set = __ballot_sync(kAllLanes, is_set);
      same &= is_set ? set : ~set;
    }
    return same;
  } else {
    unsigned* const mask = &memory.lanes[threadIdx.x / kLanes][digit];  // 0 between calls
    atomicOr(mask, 1u << threadIdx.x % kLanes);
    __syncwarp();
    const unsigned same = *mask;
    __syncwarp();
    if (threadIdx.x % kLanes == static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1)) *mask = 0u;
    __syncwarp();
    return same;
  }
}

__device__ inline unsigned warp_scan(unsigned value) {
  const int lane = threadIdx.x % kLanes;
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const unsigned before = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

// What the threads before this one have together. Two barriers; `sums` may be used again at once.
__device__ inline unsigned sum_before(unsigned value, unsigned* sums) {
  const int warp = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const unsigned scanned = warp_scan(value);
  if (lane == kLanes - 1) sums[warp] = scanned;
  __syncthreads();
  const unsigned warps = warp_scan(lane < kWarps ? sums[lane] : 0u);
  const unsigned before = warp == 0 ? 0u : __shfl_sync(kAllLanes, warps, warp - 1);
  __syncthreads();
  return before + scanned - value;
}

// ranks[k]: how many keys of the same digit the warp has before keys[k].
__device__ inline void rank_in_warp(unsigned (&ranks)[ITEMS], Memory& memory, const unsigned (&keys)[ITEMS],
                                    int shift) {
  const unsigned lane = threadIdx.x % kLanes;
  unsigned* const counts = memory.counts[threadIdx.x / kLanes];
  for (int d = lane; d < kRadix; d += kLanes) {
    counts[d] = 0u;
    if (MATCHING == masks) memory.lanes[threadIdx.x / kLanes][d] = 0u;
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned digit = digit_of(keys[k], shift);
    const unsigned same = same_digit(memory, digit);
    const unsigned leader = __ffs(static_cast<int>(same)) - 1;
    unsigned before = 0u;
    if (lane == leader) {
      before = counts[digit];
      counts[digit] = before + __popc(same);
    }
    before = __shfl_sync(kAllLanes, before, leader);
    ranks[k] = before + __popc(same & ((1u << lane) - 1u));
    __syncwarp();
  }
}

// After a barrier behind rank_in_warp: how many keys of digit threadIdx.x the tile has; counts become sums over the warps before.
__device__ inline unsigned count_in_tile(Memory& memory) {
  unsigned sum = 0u;
  if (threadIdx.x < kRadix)
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const unsigned count = memory.counts[w][threadIdx.x];
      memory.counts[w][threadIdx.x] = sum;
      sum += count;
    }
  return sum;
}

// Keys to their places in the tile. A barrier before, since counts are those of all warps; one behind.
__device__ inline void put_in_order(Memory& memory, const unsigned (&keys)[ITEMS],
                                    const unsigned (&ranks)[ITEMS], int shift) {
  const unsigned* const counts = memory.counts[threadIdx.x / kLanes];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned digit = digit_of(keys[k], shift);
    memory.keys[memory.starts[digit] + counts[digit] + ranks[k]] = keys[k];
  }
  __syncthreads();
}

// Neighbours in the tile of the same digit are neighbours in memory.
__device__ inline void scatter(unsigned* out, const Memory& memory, long long first, long long n, int shift) {
  const int valid = static_cast<int>(min(static_cast<long long>(kTile), n - first));
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * BLOCK_SIZE + threadIdx.x;
    if (i < valid) {
      const unsigned key = memory.keys[i];
      STORE(out + (memory.targets[digit_of(key, shift)] + i), key);
    }
  }
}
