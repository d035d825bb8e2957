// One pass by blocks that stay: each draws tile after tile, and has STAGES of them on their way into shared
// memory while it scans one. So loads go on while the block looks back and stores. With LAG a tile is looked
// back for and stored only when the sum of the next one is published, which other blocks wait for.

#include "copy.cuh"
#include "items.cuh"
#include "look_back.cuh"

static_assert(VECTOR == 4, "copies are of 16 bytes");

// Copies of a tile by the threads that will scan it: each waits for its own, and no barrier is needed.
// Elements beyond the last are 0.
__device__ inline void fetch(unsigned* stage, const unsigned* in, long long first, long long n) {
  const unsigned* const tile = in + first;
  if (first + kTile <= n) {
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) copy_async_whole<16>(stage + place(k), tile + place(k));
    return;
  }
  const int left = static_cast<int>(n - first);
  for (int k = 0; k < VECTORS; ++k)
    for (int e = 0; e < VECTOR; ++e) {
      const bool inside = place(k) + e < left;
      copy_async<4>(stage + place(k) + e, inside ? tile + place(k) + e : in, inside);
    }
}

// A tile that is scanned but for what comes before it; `before` is that within the tile.
struct Scanned {
  Items items;
  int tile = -1;
  unsigned sum = 0u, before = 0u;
};

// Learns what comes before the tile, and stores. One barrier; the block has to pass another one before the next
// call with the same `before_tile`.
__device__ inline void finish(const Scanned& scanned, unsigned* out, long long n, unsigned long long* words,
                              unsigned execution, KnownSum& known, unsigned* before_tile) {
  if (threadIdx.x < kLanes) {
    const unsigned before = sum_before<LOOKS>(words, scanned.tile, execution, known);
    known = {scanned.tile, before + scanned.sum};
    if (threadIdx.x == 0) {
      write_word(words + scanned.tile, Word(execution, whole_sum, known.sum));
      *before_tile = before;
    }
  }
  __syncthreads();
  store(out, static_cast<long long>(scanned.tile) * kTile, n, scanned.items, *before_tile + scanned.before);
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    scan(unsigned* out, const unsigned* in, unsigned long long* words, Counters* counters, int n,
         int exclusive) {
  extern __shared__ __align__(16) unsigned stages[];  // STAGES tiles
  __shared__ unsigned sums[2][kWarps];
  __shared__ unsigned before_tile[2];
  // Of turn t in place t % (STAGES + 1): the number of turn t + STAGES is written in turn t, when some threads
  // may not have read that of t, but all have read that of t - 1.
  __shared__ unsigned taken[STAGES + 1];
  const unsigned execution = current_execution(counters);
  const unsigned tiles = (n - 1) / kTile + 1;
  const auto fetch_tile = [&](int stage, unsigned tile) {
    if (tile < tiles) fetch(stages + stage * kTile, in, static_cast<long long>(tile) * kTile, n);
    end_group();
  };

  // The barriers keep a block from drawing neighbours: others begin in between.
  for (int stage = 0; stage < STAGES; ++stage) {
    if (threadIdx.x == 0) taken[stage] = atomicAdd(&counters->taken, 1u);
    __syncthreads();
    fetch_tile(stage, taken[stage]);
  }
  unsigned drawn = tiles;  // thread 0: the next number, drawn a turn before it is needed
  if (threadIdx.x == 0 && taken[STAGES - 1] < tiles) drawn = atomicAdd(&counters->taken, 1u);

  KnownSum known;
  Scanned held;
  int stage = 0, place_of_turn = 0, place_of_next = STAGES;
  unsigned turn = 0;
  for (;; ++turn) {
    const unsigned tile = taken[place_of_turn];
    if (tile >= tiles) break;
    wait_groups<STAGES - 1>();
    Scanned scanned{stored_items(stages + stage * kTile, threadIdx.x / kLanes), static_cast<int>(tile)};
    if (threadIdx.x == 0) taken[place_of_next] = drawn;
    const BlockSums block = block_sums(scan_piece(scanned.items, exclusive), sums[turn % 2u]);
    scanned.sum = block.all;
    scanned.before = block.before;
    if (threadIdx.x == 0) {
      publish(words, scanned.tile, execution, block.all);
      // After the first number beyond the last tile none is drawn, so that none is under way at the end.
      if (drawn < tiles) drawn = atomicAdd(&counters->taken, 1u);
    }
    fetch_tile(stage, taken[place_of_next]);
    if (LAG) {
      if (held.tile >= 0) finish(held, out, n, words, execution, known, before_tile + turn % 2u);
      held = scanned;
    } else {
      finish(scanned, out, n, words, execution, known, before_tile + turn % 2u);
    }
    stage = stage + 1 < STAGES ? stage + 1 : 0;
    place_of_turn = place_of_turn < STAGES ? place_of_turn + 1 : 0;
    place_of_next = place_of_next < STAGES ? place_of_next + 1 : 0;
  }
  if (LAG && held.tile >= 0) finish(held, out, n, words, execution, known, before_tile + turn % 2u);
  end_block(counters, execution);
}
