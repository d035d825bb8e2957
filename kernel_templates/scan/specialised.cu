// One pass by blocks that stay, whose warps have different work. One has tiles copied into shared memory,
// STAGES ahead; one adds up each tile as soon as it is there, and publishes that; one looks back; BLOCK_SIZE
// threads scan and store. They meet at barriers of a stage, so that none waits for more than it needs. What a
// block publishes never waits for what it looks back for: no chain from tile to tile.

#include "barrier.cuh"
#include "items.cuh"
#include "look_back.cuh"

static_assert(VECTOR == 4, "copies are of 16 bytes");
static_assert(kWarps <= kLanes, "a lane for the piece of each warp");

struct Stage {
  // Each is for the next one in this line: the tile is copied, added up, looked back for; the stage is free.
  Barrier full, summed, known, empty;
  unsigned tile;
  unsigned sum, before;     // of the tile, and of all tiles before it
  unsigned pieces[kWarps];  // what comes before the piece of each warp, within the tile
};

struct Work {
  unsigned* out;
  const unsigned* in;
  unsigned long long* words;
  unsigned n, tiles, execution;

  __device__ long long first(unsigned tile) const { return static_cast<long long>(tile) * kTile; }
  // Elements of the tile; only the last one may have fewer than kTile.
  __device__ int count(unsigned tile) const {
    return static_cast<int>(min(static_cast<long long>(kTile), n - first(tile)));
  }
};

// Stages in turn, and the parity of their phase.
struct Turn {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == STAGES) stage = 0, parity ^= 1;
  }
};

// One thread. After the first number beyond the last tile it draws none.
__device__ inline void load_tiles(const Work& work, Stage* stages, unsigned* tiles, Counters* counters) {
  for (Turn turn;; turn.advance()) {
    Stage& stage = stages[turn.stage];
    const unsigned tile = atomicAdd(&counters->taken, 1u);
    wait(&stage.empty, turn.parity ^ 1);
    stage.tile = tile;
    if (tile >= work.tiles) {
      arrive(&stage.full);
      return;
    }
    unsigned* const to = tiles + turn.stage * kTile;
    const unsigned* const from = work.in + work.first(tile);
    const int count = work.count(tile), whole = count / VECTOR * VECTOR;
    for (int i = whole; i < count; ++i) to[i] = from[i];
    arrive_with_copy(&stage.full, to, from, whole * static_cast<int>(sizeof(unsigned)));
  }
}

// One warp. Sums of different pieces do not wait for each other.
__device__ inline void add_up_tiles(const Work& work, Stage* stages, const unsigned* tiles) {
  const int lane = threadIdx.x % kLanes;
  for (Turn turn;; turn.advance()) {
    Stage& stage = stages[turn.stage];
    wait(&stage.full, turn.parity);
    const unsigned tile = stage.tile;
    if (tile >= work.tiles) return;
    const int count = work.count(tile);
    unsigned own = 0u;  // of the piece of warp `lane`
#pragma unroll 2
    for (int warp = 0; warp < kWarps; ++warp) {
      const Items items = stored_items(tiles + turn.stage * kTile, warp, count);
      unsigned sum = 0u;
#pragma unroll
      for (int k = 0; k < VECTORS; ++k)
#pragma unroll
        for (int e = 0; e < VECTOR; ++e) sum += items.element[k][e];
      const unsigned all = __reduce_add_sync(kAllLanes, sum);
      if (lane == warp) own = all;
    }
    const unsigned all = __reduce_add_sync(kAllLanes, own);
    if (lane == 0) {
      publish(work.words, static_cast<int>(tile), work.execution, all);
      stage.sum = all;
    }
    const unsigned scanned = warp_scan(own);
    if (lane < kWarps) stage.pieces[lane] = scanned - own;
    __syncwarp();
    if (lane == 0) arrive(&stage.summed);
  }
}

// One warp.
__device__ inline void look_back_for_tiles(const Work& work, Stage* stages) {
  const int lane = threadIdx.x % kLanes;
  KnownSum known;
  for (Turn turn;; turn.advance()) {
    Stage& stage = stages[turn.stage];
    wait(&stage.full, turn.parity);
    const unsigned tile = stage.tile;
    if (tile >= work.tiles) return;
    const unsigned before = sum_before<LOOKS>(work.words, static_cast<int>(tile), work.execution, known);
    wait(&stage.summed, turn.parity);
    known = {static_cast<int>(tile), before + stage.sum};
    if (lane == 0) {
      write_word(work.words + tile, Word(work.execution, whole_sum, known.sum));
      stage.before = before;
    }
    __syncwarp();
    if (lane == 0) arrive(&stage.known);
  }
}

// BLOCK_SIZE threads, each warp for itself. A stage is free when its tile is in registers.
__device__ inline void scan_tiles(const Work& work, Stage* stages, const unsigned* tiles, int exclusive) {
  const int warp = threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  for (Turn turn;; turn.advance()) {
    Stage& stage = stages[turn.stage];
    wait(&stage.full, turn.parity);
    const unsigned tile = stage.tile;
    if (tile >= work.tiles) return;
    wait(&stage.known, turn.parity);
    Items items = stored_items(tiles + turn.stage * kTile, warp, work.count(tile));
    const unsigned before = stage.before + stage.pieces[warp];
    __syncwarp();
    if (lane == 0) arrive(&stage.empty);
    scan_piece(items, exclusive);
    store(work.out, work.first(tile), work.n, items, before);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE + 3 * kLanes, MIN_BLOCKS)
    scan(unsigned* out, const unsigned* in, unsigned long long* words, Counters* counters, int n,
         int exclusive) {
  extern __shared__ __align__(128) unsigned tiles[];  // STAGES of them
  __shared__ Stage stages[STAGES];
  const unsigned count = static_cast<unsigned>(n);
  const Work work{out, in, words, count, (count - 1u) / kTile + 1u, current_execution(counters)};
  if (threadIdx.x == 0) {
    for (Stage& stage : stages) {
      start_barrier(&stage.full, 1);
      start_barrier(&stage.summed, 1);
      start_barrier(&stage.known, 1);
      start_barrier(&stage.empty, kWarps);
    }
    show_barriers();
  }
  __syncthreads();
  const int warp = threadIdx.x / kLanes;
  if (warp < kWarps)
    scan_tiles(work, stages, tiles, exclusive);
  else if (warp == kWarps)
    add_up_tiles(work, stages, tiles);
  else if (warp == kWarps + 1)
    look_back_for_tiles(work, stages);
  else if (threadIdx.x % kLanes == 0)
    load_tiles(work, stages, tiles, counters);
  end_block(counters, work.execution);
}
