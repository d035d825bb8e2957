constexpr int kVertices = 600;
extern "C" {
__constant__ float2 d_vertices[kVertices];
__constant__ float d_slopes[kVertices];
}

// Of the edge from the vertex before each one.
__global__ void slopes_of(float* slopes, const float2* vertices) {
  const int j = threadIdx.x;
  const float2 to = vertices[j], from = vertices[j == 0 ? kVertices - 1 : j - 1];
  slopes[j] = (from.x - to.x) / (from.y - to.y);
}

__device__ bool is_between(float y, float from, float to) {
#if between_method == 0
  return (from > y) != (to > y);
#elif between_method == 1
  return (from <= y && to > y) || (from > y && to <= y);
#elif between_method == 2
  return from <= y ? to > y : to <= y;
#else
  return min(from, to) <= y && max(from, to) > y;
#endif
}

// A point is inside where a ray from it crosses an odd number of edges.
__global__ void cn_pnpoly(int* bitmap, const float2* points, int n) {
  const int first = blockIdx.x * block_size_x * tile_size + threadIdx.x;
  float2 point[tile_size];
  int crossings[tile_size] = {};
  for (int t = 0; t < tile_size; ++t)
    if (first + t * block_size_x < n) point[t] = points[first + t * block_size_x];
  for (int j = 0, k = kVertices - 1; j < kVertices; k = j++) {
    const float2 to = d_vertices[j], from = d_vertices[k];
#if use_precomputed_slopes
    const float slope = d_slopes[j];
#else
    const float slope = (from.x - to.x) / (from.y - to.y);
#endif
    for (int t = 0; t < tile_size; ++t) {
      const bool crosses =
          is_between(point[t].y, from.y, to.y) && point[t].x < slope * (point[t].y - to.y) + to.x;
#if use_method == 0
      if (crosses) crossings[t] = !crossings[t];
#else
      crossings[t] ^= crosses;
#endif
    }
  }
  for (int t = 0; t < tile_size; ++t)
    if (first + t * block_size_x < n) bitmap[first + t * block_size_x] = crossings[t];
}
