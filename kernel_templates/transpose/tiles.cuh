#pragma once

// Where a tile of TILE_ROWS x TILE_COLUMNS lies. Tiles are numbered through bands of BAND rows of tiles, down each column of
// a band: 1 goes along the rows of the input, a number as large as there are rows of tiles along those of the output.
struct Tile {
  int row, column;  // of its first element

  __device__ Tile(long long tile, int rows, int columns) {
    const long long across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    const long long down = (rows + TILE_ROWS - 1) / TILE_ROWS;
    const long long band = tile / (across * BAND);
    const long long height = min(static_cast<long long>(BAND), down - band * BAND);
    const long long inside = tile - band * across * BAND;
    row = static_cast<int>(band * BAND + inside % height) * TILE_ROWS;
    column = static_cast<int>(inside / height) * TILE_COLUMNS;
  }

  static __device__ long long count(int rows, int columns) {
    return static_cast<long long>((columns + TILE_COLUMNS - 1) / TILE_COLUMNS) * ((rows + TILE_ROWS - 1) / TILE_ROWS);
  }
};

__device__ inline size_t place(int row, int column, int columns) {
  return static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
}
