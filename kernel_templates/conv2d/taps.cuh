// Which taps of a filter lie in the image, for one pixel of the result. For products of matrices, whose rows
// or columns are pixels of all images in one line.
#pragma once

#include "shape.cuh"

static_assert(SIZE <= 15);

// Bit r is for row r of a filter, bit 16 + s for column s. What asks for NEVER is in no image.
constexpr unsigned NEVER = 1u << 15;
__device__ inline unsigned tap_bits(int r, int s) {
  return 1u << r | 1u << (16 + s);
}

struct Pixel {
  int n, y, x;      // the image, and where a filter's first tap is in it
  unsigned inside;  // bits of the rows and columns that lie in it

  __device__ Pixel(const Shape& shape, int pixel, int pixels) {
    const int out_width = shape.out_width(), plane = out_width * shape.out_height();
    const bool exists = pixel < pixels;
    const int within = exists ? pixel % plane : 0;
    n = exists ? pixel / plane : 0;
    y = within / out_width * STRIDE - shape.padding;
    x = within % out_width * STRIDE - shape.padding;
    inside = 0;
#pragma unroll
    for (int i = 0; i < SIZE; ++i) {
      if (exists && y + i >= 0 && y + i < shape.height) inside |= 1u << i;
      if (exists && x + i >= 0 && x + i < shape.width) inside |= 1u << (16 + i);
    }
  }
};
__device__ inline bool is_inside(unsigned inside, unsigned bits) {
  return (inside & bits) == bits;
}
