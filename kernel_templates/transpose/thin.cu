// For matrices of few columns: TILE_ROWS whole rows lie side by side in memory, and are read as if they were
// one line. A warp then writes a piece of one column. Where the number of columns is even, shared memory has
// a gap after 32 elements.

extern __shared__ float kept[];

__device__ inline int slot(int element, bool with_gaps) {
  return with_gaps ? element + element / 32 : element;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS)
    transpose(float* out, const float* in, int rows, int columns) {
  const bool with_gaps = columns % 2 == 0;
  const int tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int first = tile * TILE_ROWS;
    const int height = min(TILE_ROWS, rows - first);
    const float* const lines = in + static_cast<size_t>(first) * static_cast<size_t>(columns);
    if (tile != blockIdx.x) __syncthreads();  // the tile before has been read
    const int elements = height * columns;
    for (int start = threadIdx.x; start < elements; start += BLOCK_SIZE * UNROLL) {
      float values[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
        if (start + u * BLOCK_SIZE < elements) values[u] = LOAD(lines + start + u * BLOCK_SIZE);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
        if (start + u * BLOCK_SIZE < elements) kept[slot(start + u * BLOCK_SIZE, with_gaps)] = values[u];
    }
    __syncthreads();
#pragma unroll UNROLL
    for (int i = threadIdx.x; i < TILE_ROWS * columns; i += BLOCK_SIZE) {
      const int row = i % TILE_ROWS;
      const int column = i / TILE_ROWS;
      if (row < height)
        STORE(out + static_cast<size_t>(column) * static_cast<size_t>(rows) + first + row,
              kept[slot(row * columns + column, with_gaps)]);
    }
  }
}
