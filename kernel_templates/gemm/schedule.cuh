// Which tile of C comes when. Blocks that run at the same time should read few rows of A and few columns of
// B, so that L2 holds both: tiles are taken in groups of `group` rows of tiles, column by column within a
// group.
#pragma once

struct Tile {
  int row, column;
};

__device__ inline Tile tile_at(int index, int tile_rows, int tile_columns, int group) {
  const int first = index / (group * tile_columns) * group;
  const int rows = min(group, tile_rows - first);
  const int within = index % (group * tile_columns);
  return {first + within % rows, within / rows};
}

// Stream-K: the steps along K of `tiles` tiles, `depth` of each, in one line that `blocks` blocks share
// evenly. A tile that lies in several blocks' shares is added up by whichever of them is done last.
struct Shares {
  int blocks, depth;
  long long steps;

  __device__ Shares(int block_count, int tiles, int tile_depth)
      : blocks(min(static_cast<long long>(block_count), static_cast<long long>(tiles) * tile_depth)),
        depth(tile_depth),
        steps(static_cast<long long>(tiles) * tile_depth) {}

  __device__ long long begin(int block) const { return block < blocks ? steps * block / blocks : steps; }
  __device__ int block_of(long long step) const {
    return static_cast<int>(((step + 1) * blocks - 1) / steps);
  }
  __device__ int first_block(int tile) const { return block_of(static_cast<long long>(tile) * depth); }
  __device__ int last_block(int tile) const { return block_of(static_cast<long long>(tile + 1) * depth - 1); }
  // A block has parts of two tiles at most, its first one and its last one: where its part of this tile is
  // kept.
  __device__ int slot(int block, int tile) const {
    return 2 * block + (begin(block) / depth == tile ? 0 : 1);
  }
};

// Of `tiles` tiles so many are shared out; the others are left whole, as many for each block. All are shared
// unless `hybrid`.
__device__ inline int shared_tiles(int tiles, int blocks, bool hybrid) {
  if (!hybrid || tiles < blocks) return tiles;
  return tiles % blocks == 0 ? 0 : tiles % blocks + blocks;
}
