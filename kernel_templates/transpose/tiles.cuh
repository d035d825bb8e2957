#pragma once

// Where a tile of TILE_ROWS x TILE_COLUMNS lies. Tiles are numbered through bands of BAND rows of tiles, down
// each column of a band: 1 goes along the rows of the input, a number as large as there are rows of tiles
// along those of the output.
struct Tile {
  int row, column;  // of its first element

  __device__ Tile(unsigned tile, int rows, int columns) {
    const unsigned across = static_cast<unsigned>(columns - 1) / TILE_COLUMNS + 1u;
    const unsigned down = static_cast<unsigned>(rows - 1) / TILE_ROWS + 1u;
    if (BAND == 1) {
      row = static_cast<int>(tile / across) * TILE_ROWS;
      column = static_cast<int>(tile % across) * TILE_COLUMNS;
      return;
    }
    const unsigned most = min(static_cast<unsigned>(BAND), down);
    const unsigned band = tile / (across * most);
    const unsigned height = min(most, down - band * most);  // the last band may be lower
    const unsigned inside = tile - band * across * most;
    row = static_cast<int>(band * most + inside % height) * TILE_ROWS;
    column = static_cast<int>(inside / height) * TILE_COLUMNS;
  }

  static __device__ unsigned count(int rows, int columns) {
    return (static_cast<unsigned>(columns - 1) / TILE_COLUMNS + 1u) *
           (static_cast<unsigned>(rows - 1) / TILE_ROWS + 1u);
  }
};

__device__ inline size_t place(int row, int column, int columns) {
  return static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
}
