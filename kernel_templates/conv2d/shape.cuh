// Sizes of images, filters and results, each number contiguous along a row, rows along a channel, channels along
// an image.
#pragma once

struct Shape {
  int channels, filters, height, width, padding;

  __device__ int out_height() const { return (height + 2 * padding - SIZE) / STRIDE + 1; }
  __device__ int out_width() const { return (width + 2 * padding - SIZE) / STRIDE + 1; }
  __device__ bool inside(int y, int x) const {
    return static_cast<unsigned>(y) < static_cast<unsigned>(height) &&
           static_cast<unsigned>(x) < static_cast<unsigned>(width);
  }
};
