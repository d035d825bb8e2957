#pragma once

// VECTOR neighbours along x, which are loaded and stored at once. A row has a whole number of them, so each lies either inside
// or outside of the grid.

#include "star.cuh"

template <int count>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Type = float;
};
template <>
struct VectorOf<2> {
  using Type = float2;
};
template <>
struct VectorOf<4> {
  using Type = float4;
};
using Vector = VectorOf<VECTOR>::Type;

constexpr int kQueue = 2 * RADIUS + 1;                          // planes that a point depends on
constexpr int kSide = (RADIUS + VECTOR - 1) / VECTOR * VECTOR;  // points beside a vector, in whole vectors
constexpr int kThreads = BLOCK_X * BLOCK_Y;

struct Points {
  float at[VECTOR];
};

__device__ inline Points zeros() {
  Points points;
#pragma unroll
  for (int v = 0; v < VECTOR; ++v) points.at[v] = 0.0f;
  return points;
}

__device__ inline Points load(const float* in, const Grid& grid, int x, int y, int z) {
  Points points = zeros();
  if (grid.has_x(x) && grid.has_y(y) && grid.has_z(z)) {
    const Vector vector = LOAD(reinterpret_cast<const Vector*>(in + grid.place(x, y, z)));
    memcpy(points.at, &vector, sizeof vector);
  }
  return points;
}

__device__ inline Vector as_vector(const Points& points) {
  Vector vector;
  memcpy(&vector, points.at, sizeof vector);
  return vector;
}

__device__ inline void store(float* out, const Points& points) {
  STORE(reinterpret_cast<Vector*>(out), as_vector(points));
}

__device__ inline void write_shared(float* to, const Points& points) {
  *reinterpret_cast<Vector*>(to) = as_vector(points);
}

__device__ inline Points read_shared(const float* from) {
  const Vector vector = *reinterpret_cast<const Vector*>(from);
  Points points;
  memcpy(points.at, &vector, sizeof vector);
  return points;
}

__device__ inline void add(Points& sum, float factor, const Points& points) {
#pragma unroll
  for (int v = 0; v < VECTOR; ++v) sum.at[v] = fmaf(factor, points.at[v], sum.at[v]);
}

// `line` has the vector itself and kSide points on either side.
__device__ inline void add_line(Points& sum, const float* line) {
#pragma unroll
  for (int v = 0; v < VECTOR; ++v) {
    sum.at[v] = fmaf(kCentre, line[kSide + v], sum.at[v]);
#pragma unroll
    for (int d = 1; d <= RADIUS; ++d) {
      sum.at[v] = fmaf(weight(0, d), line[kSide + v - d], sum.at[v]);
      sum.at[v] = fmaf(weight(1, d), line[kSide + v + d], sum.at[v]);
    }
  }
}

// `column` has the rows y - RADIUS to y + RADIUS.
__device__ inline void add_column(Points& sum, const Points* column) {
#pragma unroll
  for (int d = 1; d <= RADIUS; ++d) {
    add(sum, weight(2, d), column[RADIUS - d]);
    add(sum, weight(3, d), column[RADIUS + d]);
  }
}

// The planes z - RADIUS to z + RADIUS of ROWS rows go round in `queue`; z is in slot `centre`, a constant once loops are unrolled.
__device__ inline void add_planes(Points& sum, const Points (&queue)[kQueue][ROWS], int centre, int row) {
#pragma unroll
  for (int d = 1; d <= RADIUS; ++d) {
    add(sum, weight(4, d), queue[(centre + kQueue - d) % kQueue][row]);
    add(sum, weight(5, d), queue[(centre + d) % kQueue][row]);
  }
}

// A plane in shared memory whose rows are kWidth long: what neighbours in it add to ROWS rows from `own` on,
// which the thread itself has in `middle`.
template <int kWidth>
__device__ inline void add_from_plane(Points (&sums)[ROWS], const float* own, const Points (&middle)[ROWS]) {
  Points column[ROWS + 2 * RADIUS];
#pragma unroll
  for (int r = 0; r < ROWS + 2 * RADIUS; ++r) {
    const bool is_own = RADIUS <= r && r < RADIUS + ROWS;
    column[r] = is_own ? middle[is_own ? r - RADIUS : 0] : read_shared(own + (r - RADIUS) * kWidth);
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    float line[VECTOR + 2 * kSide];
#pragma unroll
    for (int s = 0; s < VECTOR + 2 * kSide; s += VECTOR) {
      const Points part = s == kSide ? middle[r] : read_shared(own + r * kWidth + s - kSide);
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) line[s + v] = part.at[v];
    }
    add_line(sums[r], line);
    add_column(sums[r], column + r);
  }
}
