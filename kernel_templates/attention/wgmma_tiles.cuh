// What a block of wgmma.cu works on, in which order, and how it gets there: one thread has TMA bring queries,
// and tiles of BK keys and of as many values, of which STAGES each have room.
// Macros: BQ, BK, STAGES, SCHEDULE, HEAD_GROUP, HEAD_DIM, CAUSAL.
#pragma once

#include "rows.cuh"
#include "wgmma.cuh"
#include "wgmma_products.cuh"

constexpr int CONSUMERS = BQ / 64, THREADS = (CONSUMERS + 1) * 128;
constexpr int PANELS = HEAD_DIM / 64;
// A tile is panels of 64 columns, one behind the other, with rows of 128 bytes.
constexpr int ROW_BYTES = 128, ATOM_BYTES = 8 * ROW_BYTES;
constexpr int Q_PANEL_BYTES = 64 * ROW_BYTES, Q_BYTES = PANELS * Q_PANEL_BYTES;  // of one consumer
constexpr int PANEL_BYTES = BK * ROW_BYTES, TILE_BYTES = PANELS * PANEL_BYTES;   // of keys or values
static_assert(CONSUMERS == 2 || CONSUMERS == 3);

// Rows of HEAD_DIM halves, of all heads. What lies behind the last row of a head is zero, and not written.
struct Maps {
  const CUtensorMap &q, &k, &v, &out;
};

struct Tile {
  int head, first_query, key_tiles;
};

// The tiles of queries that a block has, one after another; all its threads see the same. Blocks take them in
// turn, there and back, so that who had the longest of a round has the shortest of the next one.
class Schedule {
 public:
  __device__ Schedule(int heads, Lengths lengths)
      : heads_(heads), lengths_(lengths), tiles_((lengths.queries + BQ - 1) / BQ) {}

  __device__ bool next(Tile& tile) {
    const int index = round_ * gridDim.x + (round_ % 2 == 1 ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
    ++round_;
    if (index >= heads_ * tiles_) return false;
    const int first_head = index / (HEAD_GROUP * tiles_) * HEAD_GROUP, place = index - first_head * tiles_;
    const int group = min(HEAD_GROUP, heads_ - first_head), slot = place / group;
    tile.head = first_head + place % group;
    tile.first_query = (SCHEDULE == 1 ? tiles_ - 1 - slot : slot) * BQ;
    tile.key_tiles = (lengths_.seen_by(min(tile.first_query + BQ, lengths_.queries) - 1) + BK - 1) / BK;
    return true;
  }

 private:
  int heads_;
  Lengths lengths_;
  int tiles_, round_ = 0;
};

// Of what lies in STAGES stages. `full`: it is there; `empty`: no consumer needs it any more.
struct Ring {
  Barrier full[STAGES], empty[STAGES];
};

struct Barriers {
  Ring keys, values;
  Barrier q_full[CONSUMERS], q_empty[CONSUMERS];
};

struct Shared {
  unsigned char *q, *keys, *values;
  Barriers* barriers;
};

__device__ inline void start_barriers(Barriers& barriers) {
  for (int i = 0; i < STAGES; ++i) {
    start_barrier(barriers.keys.full + i, 1);
    start_barrier(barriers.values.full + i, 1);
    start_barrier(barriers.keys.empty + i, CONSUMERS * 4);
    start_barrier(barriers.values.empty + i, CONSUMERS * 4);
  }
  for (int i = 0; i < CONSUMERS; ++i) {
    start_barrier(barriers.q_full + i, 1);
    start_barrier(barriers.q_empty + i, 1);
  }
  show_barriers();
}

__device__ inline void load_tile(unsigned char* tiles, const CUtensorMap& map, int first_row, int head,
                                 Ring& ring, Stage& stage) {
  Barrier* full = ring.full + stage.number;
  wait(ring.empty + stage.number, stage.parity ^ 1);
  arrive_with_bytes(full, TILE_BYTES);
  for (int panel = 0; panel < PANELS; ++panel)
    load_box(tiles + stage.number * TILE_BYTES + panel * PANEL_BYTES, map, panel * 64, first_row, head, full);
  stage.advance();
}

__device__ inline void load_queries(const Shared& shared, const Maps& maps, const Tile& tile, int parity) {
  for (int i = 0; i < CONSUMERS; ++i) {
    Barrier* full = shared.barriers->q_full + i;
    wait(shared.barriers->q_empty + i, parity ^ 1);
    arrive_with_bytes(full, Q_BYTES);
    for (int panel = 0; panel < PANELS; ++panel)
      load_box(shared.q + i * Q_BYTES + panel * Q_PANEL_BYTES, maps.q, panel * 64, tile.first_query + i * 64,
               tile.head, full);
  }
}

// In the order of their use: the values of a tile are needed after the keys of the next one.
__device__ inline void produce(const Shared& shared, const Maps& maps, Schedule schedule) {
  Stage keys, values;
  Tile tile;
  for (int parity = 0; schedule.next(tile); parity ^= 1) {
    load_tile(shared.keys, maps.k, 0, tile.head, shared.barriers->keys, keys);
    load_queries(shared, maps, tile, parity);
    for (int i = 1; i <= tile.key_tiles; ++i) {
      if (i < tile.key_tiles) load_tile(shared.keys, maps.k, i * BK, tile.head, shared.barriers->keys, keys);
      load_tile(shared.values, maps.v, (i - 1) * BK, tile.head, shared.barriers->values, values);
    }
  }
}
