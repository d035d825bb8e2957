// A tile a block, by way of shared memory: reads and writes of a warp lie side by side. Down a column of the
// tile a warp would find all elements in one bank; LAYOUT says what is done about it.

#include "tiles.cuh"

enum Layout { plain, padded, swizzled };

extern __shared__ float kept[];

__device__ inline int slot(int row, int column) {
  if (LAYOUT == swizzled) return row * TILE_COLUMNS + (column ^ (row % min(32, TILE_COLUMNS)));
  return row * (TILE_COLUMNS + (LAYOUT == padded ? 1 : 0)) + column;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    transpose(float* out, const float* in, int rows, int columns) {
  constexpr int kItems = TILE_ROWS * TILE_COLUMNS / BLOCK_SIZE;
  // Whole lines of the tile at a time, on either side of it: only the line changes from turn to turn.
  constexpr int kRows = BLOCK_SIZE / TILE_COLUMNS;
  constexpr int kColumns = BLOCK_SIZE / TILE_ROWS;
  const int thread = threadIdx.x;
  const unsigned tiles = Tile::count(rows, columns);
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Tile tile(t, rows, columns);
    float values[kItems];
    {
      const int row = thread / TILE_COLUMNS;
      const int column = thread % TILE_COLUMNS;
      const float* from = in + place(tile.row + row, tile.column + column, columns);
      const int left = tile.column + column < columns ? rows - tile.row - row : 0;
#pragma unroll
      for (int k = 0; k < kItems; ++k) {
        if (k * kRows < left) values[k] = LOAD(from);
        from += place(kRows, 0, columns);
      }
      if (t != blockIdx.x) __syncthreads();  // the tile before has been read
#pragma unroll
      for (int k = 0; k < kItems; ++k) kept[slot(row + k * kRows, column)] = values[k];
    }
    __syncthreads();
    const int row = thread % TILE_ROWS;
    const int column = thread / TILE_ROWS;
    float* to = out + place(tile.column + column, tile.row + row, rows);
    const int left = tile.row + row < rows ? columns - tile.column - column : 0;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (k * kColumns < left) STORE(to, kept[slot(row, column + k * kColumns)]);
      to += place(kColumns, 0, rows);
    }
  }
}
