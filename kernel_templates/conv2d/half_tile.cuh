// Tiles of a convolution of half numbers, channels last, as a matrix product: rows of A are pixels of all
// images, rows of B are filters, and both run along taps and channels, BK at a time. Rows of A do not exist:
// they are gathered from the images, VECTOR channels a copy, so that the number of channels is a multiple of
// that. A row's vectors of eight halves are exchanged (by an exclusive or with the row's number), so that
// eight rows' vectors of one column lie in different banks: with BK 64 that is the swizzle by 128 bytes of
// compute capability 9.0. Macros: BM, BN, BK, VECTOR, SIZE, STRIDE; THREADS stands before this.
#pragma once

#include "copy.cuh"
#include "mma.cuh"
#include "taps.cuh"

constexpr int A_STAGE = BM * BK, B_STAGE = BN * BK;
constexpr int ROW = BK / 8;
constexpr int ROW_COPIES = BK / VECTOR, ROWS_AT_ONCE = THREADS / ROW_COPIES;
constexpr int A_COPIES = (BM + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE,
              B_COPIES = (BN + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
static_assert(THREADS % ROW_COPIES == 0);

// Where the vector of a row lies, in halves.
__device__ inline int place(int row, int vector) {
  const int key = ROW == 8 ? row % 8 : row / 2 % 4;
  return (row * ROW + (vector ^ key)) * 8;
}

// Which pixels and filters a block has.
struct Tile {
  int pixel, filter;  // the first ones
  int pixels;         // of all images

  __device__ Tile(const Shape& shape, int batch) {
    pixels = batch * shape.out_height() * shape.out_width();
    const int index = blockIdx.x, tiles_m = (pixels + BM - 1) / BM, tiles_n = (shape.filters + BN - 1) / BN;
    pixel = (FILTERS_FIRST ? index / tiles_n : index % tiles_m) * BM;
    filter = (FILTERS_FIRST ? index % tiles_n : index / tiles_m) * BN;
  }
};

// A thread's part of tiles: always the same channels of a row, of rows ROWS_AT_ONCE apart. What a row needs
// of its pixel is worked out once; then all rows walk along the taps together.
struct Copier {
  const half* image;
  const half* weight;
  int channels, width, filters, depth;
  int channel_step, tap_step;
  int k, channel, tap;  // of the next copies
  int row, column;
  int first_filter;
  int offset[A_COPIES];
  unsigned inside[A_COPIES];

  __device__ Copier(const half* images, const half* weights, const Shape& shape, const Tile& tile)
      : image(images),
        weight(weights),
        channels(shape.channels),
        width(shape.width),
        filters(shape.filters),
        depth(shape.channels * SIZE * SIZE),
        channel_step(BK % shape.channels),
        tap_step(BK / shape.channels),
        row(threadIdx.x / ROW_COPIES),
        column(threadIdx.x % ROW_COPIES * VECTOR),
        first_filter(tile.filter) {
    k = column;
    channel = k % channels;
    tap = k / channels;
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const Pixel pixel(shape, tile.pixel + row + i * ROWS_AT_ONCE, tile.pixels);
      offset[i] = ((pixel.n * shape.height + pixel.y) * width + pixel.x) * channels;
      inside[i] = pixel.inside;
    }
  }

  // Starts the copies of the next tile. Beyond the depth both matrices are zeros; filters that do not exist
  // are read as the last one, and not stored.
  __device__ void start(half* a_stage, half* b_stage) {
    const bool exists = k < depth;
    const int r = tap / SIZE, s = tap % SIZE;
    const unsigned bits = exists ? tap_bits(r, s) : NEVER;
    const int from = (r * width + s) * channels + channel;
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int to = row + i * ROWS_AT_ONCE;
      if (BM % ROWS_AT_ONCE == 0 || to < BM)
        copy_async<2 * VECTOR>(a_stage + place(to, column / 8) + column % 8, image + (offset[i] + from),
                               is_inside(inside[i], bits));
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      const int to = row + i * ROWS_AT_ONCE;
      if (BN % ROWS_AT_ONCE == 0 || to < BN)
        copy_async<2 * VECTOR>(b_stage + place(to, column / 8) + column % 8,
                               weight + (min(first_filter + to, filters - 1) * depth + k), exists);
    }
    k += BK;
    channel += channel_step;
    tap += tap_step;
    if (channel >= channels) {
      channel -= channels;
      ++tap;
    }
  }
};

// Results on their way to memory, as half: eight more a row, so that eight rows lie in different banks.
constexpr int OUT_ROW = BN + 8;

template <typename Word>
__device__ inline void store_words(half* out, const half* staged, const Tile& tile, int filters) {
  constexpr int WIDTH = sizeof(Word) / 2, WORDS = BN / WIDTH;
  for (int index = threadIdx.x; index < BM * WORDS; index += THREADS) {
    const int to = index / WORDS, column = index % WORDS * WIDTH;
    if (tile.pixel + to < tile.pixels && tile.filter + column < filters)
      *reinterpret_cast<Word*>(out + static_cast<long long>(tile.pixel + to) * filters + tile.filter +
                               column) = *reinterpret_cast<const Word*>(staged + to * OUT_ROW + column);
  }
}

// In words as wide as all rows are aligned to.
__device__ inline void store_tile(half* out, const half* staged, const Tile& tile, int filters) {
  if (filters % 8 == 0)
    store_words<uint4>(out, staged, tile, filters);
  else if (filters % 2 == 0)
    store_words<unsigned>(out, staged, tile, filters);
  else
    store_words<unsigned short>(out, staged, tile, filters);
}
