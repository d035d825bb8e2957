#pragma once

// What all variants have in common: the weights, the grid and vectors of points. Points outside of the grid are 0.

#include <cstring>

// A neighbour in direction 0 to 5 (-x, +x, -y, +y, -z, +z); all weights together are below 1.
__device__ constexpr float weight(int direction, int distance) {
  const float nearest = direction == 0   ? 37.0f
                        : direction == 1 ? 53.0f
                        : direction == 2 ? 61.0f
                        : direction == 3 ? 71.0f
                        : direction == 4 ? 83.0f
                                         : 97.0f;
  return nearest / (1024.0f * static_cast<float>(1 << (distance - 1)));
}
constexpr float kCentre = 0.25f;

struct Grid {
  int nx, ny, nz;

  __device__ bool has_x(int x) const { return static_cast<unsigned>(x) < static_cast<unsigned>(nx); }
  __device__ bool has_y(int y) const { return static_cast<unsigned>(y) < static_cast<unsigned>(ny); }
  __device__ bool has_z(int z) const { return static_cast<unsigned>(z) < static_cast<unsigned>(nz); }
  __device__ int place(int x, int y, int z) const { return (z * ny + y) * nx + x; }
};
