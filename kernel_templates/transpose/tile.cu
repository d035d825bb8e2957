// A tile a block, by way of shared memory: reads and writes of a warp lie side by side. Down a column of the tile a warp
// would find all elements in one bank; LAYOUT says what is done about it.

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
  const int thread = threadIdx.x;
  const unsigned tiles = Tile::count(rows, columns);
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Tile tile(t, rows, columns);
    float values[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int row = (thread + k * BLOCK_SIZE) / TILE_COLUMNS;
      const int column = (thread + k * BLOCK_SIZE) % TILE_COLUMNS;
      if (tile.row + row < rows && tile.column + column < columns)
        values[k] = LOAD(in + place(tile.row + row, tile.column + column, columns));
    }
    if (t != blockIdx.x) __syncthreads();  // the tile before has been read
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      kept[slot((thread + k * BLOCK_SIZE) / TILE_COLUMNS, (thread + k * BLOCK_SIZE) % TILE_COLUMNS)] = values[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int row = (thread + k * BLOCK_SIZE) % TILE_ROWS;
      const int column = (thread + k * BLOCK_SIZE) / TILE_ROWS;
      if (tile.row + row < rows && tile.column + column < columns)
        STORE(out + place(tile.column + column, tile.row + row, rows), kept[slot(row, column)]);
    }
  }
}
