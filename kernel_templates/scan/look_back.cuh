#pragma once

// How a tile learns what all tiles before it come to. Each has a word that says what is known of it: the sum
// of its own elements, or that of all elements up to its end. A warp looks back over 32 tiles at a time, and
// adds up sums until it finds one of the second kind.

#include "tile.cuh"

enum Known : unsigned { nothing, own_sum, whole_sum };

// Sum, kind and execution are one word, written and read at once, so no fence is needed. Words of earlier
// executions have another number and count as `nothing`: nobody has to clear them.
struct Word {
  unsigned long long bits;

  __device__ Word(unsigned execution, Known known, unsigned sum)
      : bits((static_cast<unsigned long long>(execution + 1u) << 34) |
             (static_cast<unsigned long long>(known) << 32) | sum) {}
  __device__ explicit Word(unsigned long long word) : bits(word) {}

  __device__ unsigned sum() const { return static_cast<unsigned>(bits); }
  __device__ unsigned known(unsigned execution) const {
    const bool is_of_now = static_cast<unsigned>(bits >> 34) == ((execution + 1u) & 0x3fffffffu);
    return is_of_now ? static_cast<unsigned>(bits >> 32) & 3u : static_cast<unsigned>(nothing);
  }
};

__device__ inline Word read_word(unsigned long long* address) {
#ifdef __CUDA_ARCH__
  unsigned long long bits;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(address) : "memory");
  return Word(bits);
#else
  return Word(atomicAdd(address, 0ull));
#endif
}

__device__ inline void write_word(unsigned long long* address, const Word& word) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(address), "l"(word.bits) : "memory");
#else
  atomicExch(address, word.bits);
#endif
}

// Says what the tile's own elements come to. One thread.
__device__ inline void publish(unsigned long long* words, int tile, unsigned execution, unsigned sum) {
  write_word(words + tile, Word(execution, tile == 0 ? whole_sum : own_sum, sum));
}

// What all elements up to the end of `tile` come to. Before the first tile that is 0.
struct KnownSum {
  int tile = -1;
  unsigned sum = 0u;
};

// The sum of all elements before `tile`, in all lanes of the warp that calls, which knows that of one tile
// before it and looks no further back. `Looks` times 32 words are on their way at once.
template <int Looks>
__device__ inline unsigned sum_before(unsigned long long* words, int tile, unsigned execution,
                                      const KnownSum& known) {
  const int lane = threadIdx.x % kLanes;
  const auto read = [&](int position) {
    return position > known.tile ? read_word(words + position) : Word(execution, whole_sum, known.sum);
  };
  unsigned before = 0u;
  for (int last = tile - 1 - lane;; last -= Looks * kLanes) {
    unsigned long long bits[Looks];
#pragma unroll
    for (int look = 0; look < Looks; ++look) bits[look] = read(last - look * kLanes).bits;
#pragma unroll
    for (int look = 0; look < Looks; ++look) {
      Word word(bits[look]);
      unsigned wholes, useful;
      for (;;) {
        const unsigned seen = __ballot_sync(kAllLanes, word.known(execution) != nothing);
        wholes = __ballot_sync(kAllLanes, word.known(execution) == whole_sum);
        // The lanes up to the first whole sum, or all.
        useful = wholes == 0u ? kAllLanes : (wholes ^ (wholes - 1u));
        if ((seen & useful) == useful) break;
        if (SLEEP > 0) __nanosleep(SLEEP);
        word = read(last - look * kLanes);
      }
      before += __reduce_add_sync(kAllLanes, (useful >> lane & 1u) != 0u ? word.sum() : 0u);
      if (wholes != 0u) return before;
    }
  }
}

// The same where nothing is known, for a tile whose own elements come to `sum`, all of which is published.
__device__ inline unsigned look_back(unsigned long long* words, int tile, unsigned execution, unsigned sum) {
  const int lane = threadIdx.x % kLanes;
  if (lane == 0) publish(words, tile, execution, sum);
  if (tile == 0) return 0u;
  const unsigned before = sum_before<1>(words, tile, execution, KnownSum{});
  if (lane == 0) write_word(words + tile, Word(execution, whole_sum, before + sum));
  return before;
}

// All 0 at first. `taken` is the number of tiles that blocks have taken, `finished` that of blocks that have
// ended.
struct Counters {
  unsigned taken, finished, execution;
};

__device__ inline unsigned current_execution(const Counters* counters) {
#ifdef __CUDA_ARCH__
  return __ldcg(&counters->execution);
#else
  return counters->execution;
#endif
}

// The block that ends last prepares the next execution.
__device__ inline void end_block(Counters* counters, unsigned execution) {
  if (threadIdx.x != 0 || atomicAdd(&counters->finished, 1u) != gridDim.x - 1u) return;
  counters->taken = 0u;
  counters->finished = 0u;
  counters->execution = execution + 1u;
}
