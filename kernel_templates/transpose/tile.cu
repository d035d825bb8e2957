// A tile a block, by way of shared memory: reads and writes of a warp lie side by side. Down a column of the
// tile a warp would find all elements in one bank; LAYOUT says what is done about it.
// Lines of the output begin anywhere where ROWS is no multiple of a sector. With ALIGN, a power of two, a block
// has ALIGN - 1 rows before its tile, too, and begins each line of the output at a multiple of ALIGN elements: no
// sector is written in two parts, but for those in which a line ends.

#include "tiles.cuh"

enum Layout { plain, padded, swizzled };

extern __shared__ float kept[];

__device__ inline int slot(int row, int column) {
  if (LAYOUT == swizzled) return row * TILE_COLUMNS + (column ^ (row % min(32, TILE_COLUMNS)));
  return row * (TILE_COLUMNS + (LAYOUT == padded ? 1 : 0)) + column;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    transpose(float* out, const float* in, int rows, int columns) {
  static_assert(TILE_ROWS % ALIGN == 0, "else the windows of two tiles do not meet");
  constexpr int kBefore = ALIGN - 1;
  // Whole lines of the tile at a time, on either side of it: only the line changes from turn to turn.
  constexpr int kRows = BLOCK_SIZE / TILE_COLUMNS;
  constexpr int kColumns = BLOCK_SIZE / TILE_ROWS;
  constexpr int kLoads = (TILE_ROWS + kBefore - 1) / kRows + 1;
  constexpr int kStores = TILE_COLUMNS / kColumns;
  const int thread = threadIdx.x;
  const unsigned tiles = Tile::count(rows + kBefore, columns);
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Tile tile(t, rows + kBefore, columns);
    float values[kLoads];
    {
      const int line = thread / TILE_COLUMNS;
      const int column = thread % TILE_COLUMNS;
      const int row = tile.row - kBefore + line;
      const int left = tile.column + column < columns ? rows - row : 0;
      const float* from = in + static_cast<long long>(row) * columns + tile.column + column;
#pragma unroll
      for (int k = 0; k < kLoads; ++k) {
        if ((ALIGN == 1 || k * kRows >= -row) && k * kRows < left) values[k] = LOAD(from);
        from += place(kRows, 0, columns);
      }
      if (t != blockIdx.x) __syncthreads();  // the tile before has been read
#pragma unroll
      for (int k = 0; k < kLoads; ++k) kept[slot(line + k * kRows, column)] = values[k];
    }
    __syncthreads();
    const int row = thread % TILE_ROWS;
    const int column = thread / TILE_ROWS;
    float* to = out + place(tile.column + column, tile.row + row, rows);
    const int left = ALIGN > 1 || tile.row + row < rows ? columns - tile.column - column : 0;
#pragma unroll
    for (int k = 0; k < kStores; ++k) {
      // How far before the tile the line of the output begins.
      const int back = (reinterpret_cast<size_t>(to - row) / sizeof *to) % ALIGN;
      const bool inside = ALIGN == 1 || (tile.row + row >= back && tile.row + row - back < rows);
      if (k * kColumns < left && inside) STORE(to - back, kept[slot(kBefore + row - back, column + k * kColumns)]);
      to += place(kColumns, 0, rows);
    }
  }
}
