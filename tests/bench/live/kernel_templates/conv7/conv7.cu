// A 7 x 7 convolution over a W x H float image with a border of 3 on each side (its rows are W + 6 long).
//   block_size_x, block_size_y  threads of a block
//   TILE_X, TILE_Y              pixels a thread, in x and y
//   USE_SMEM                    1: the block's part of the image goes through shared memory, rows PAD longer than needed
//   INTERLEAVE                  0: a thread's pixels in x are neighbours; 1: they are block_size_x apart
//   UNROLL                      0: neither loop over the filter, 1: that over its columns, 2: both
//   READ_ONLY                   1: the image is read by __ldg
#define RADIUS 3
#define SIDE (2 * RADIUS + 1)
#define SPAN_X (block_size_x * TILE_X)
#define SPAN_Y (block_size_y * TILE_Y)
#define ROW (SPAN_X + 2 * RADIUS + PAD)

#if READ_ONLY == 1
#define LOAD(p) __ldg(&(p))
#else
#define LOAD(p) (p)
#endif

#if INTERLEAVE == 1
#define COLUMN(tx, x) ((tx) + (x) * block_size_x)
#else
#define COLUMN(tx, x) ((tx) * TILE_X + (x))
#endif

#if UNROLL == 2
#define UNROLL_ROWS _Pragma("unroll")
#else
#define UNROLL_ROWS _Pragma("unroll 1")
#endif
#if UNROLL >= 1
#define UNROLL_COLUMNS _Pragma("unroll")
#else
#define UNROLL_COLUMNS _Pragma("unroll 1")
#endif

extern "C" __global__ void conv7(float* __restrict__ out, const float* __restrict__ image,
                                 const float* __restrict__ weights, int W, int H) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x0 = blockIdx.x * SPAN_X;
  const int y0 = blockIdx.y * SPAN_Y;
  const int pitch = W + 2 * RADIUS;

#if USE_SMEM == 1
  __shared__ float tile[(SPAN_Y + 2 * RADIUS) * ROW];
  for (int y = ty; y < SPAN_Y + 2 * RADIUS; y += block_size_y) {
    for (int x = tx; x < SPAN_X + 2 * RADIUS; x += block_size_x) {
      float value = 0.0f;
      if (x0 + x < pitch && y0 + y < H + 2 * RADIUS) value = LOAD(image[(y0 + y) * pitch + x0 + x]);
      tile[y * ROW + x] = value;
    }
  }
  __syncthreads();
#endif

  float sum[TILE_Y][TILE_X];
#pragma unroll
  for (int y = 0; y < TILE_Y; ++y) {
#pragma unroll
    for (int x = 0; x < TILE_X; ++x) sum[y][x] = 0.0f;
  }

  UNROLL_ROWS
  for (int i = 0; i < SIDE; ++i) {
    UNROLL_COLUMNS
    for (int j = 0; j < SIDE; ++j) {
      const float weight = __ldg(&weights[i * SIDE + j]);
#pragma unroll
      for (int y = 0; y < TILE_Y; ++y) {
        const int row = ty * TILE_Y + y + i;
#pragma unroll
        for (int x = 0; x < TILE_X; ++x) {
          const int column = COLUMN(tx, x) + j;
#if USE_SMEM == 1
          sum[y][x] += weight * tile[row * ROW + column];
#else
          // Beyond the image the last of its rows and columns is read, for pixels that nobody writes.
          const int r = min(y0 + row, H + 2 * RADIUS - 1);
          const int c = min(x0 + column, pitch - 1);
          sum[y][x] += weight * LOAD(image[r * pitch + c]);
#endif
        }
      }
    }
  }

#pragma unroll
  for (int y = 0; y < TILE_Y; ++y) {
    const int row = y0 + ty * TILE_Y + y;
#pragma unroll
    for (int x = 0; x < TILE_X; ++x) {
      const int column = x0 + COLUMN(tx, x);
      if (row < H && column < W) out[row * W + column] = sum[y][x];
    }
  }
}
