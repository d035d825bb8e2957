#pragma once

// The elements of a tile: scanned by warps, stored. Each warp has a piece of 32 x kItems elements, of
// which a thread holds VECTORS vectors that lie 32 vectors apart, so that every access of a warp is one line.

#include <cstring>

#include "tile.cuh"

template <int count>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Type = unsigned;
};
template <>
struct VectorOf<2> {
  using Type = uint2;
};
template <>
struct VectorOf<4> {
  using Type = uint4;
};
using Vector = VectorOf<VECTOR>::Type;

struct Items {
  unsigned element[VECTORS][VECTOR];
};

// Where this lane's vector `k` of the piece of `warp` begins in the tile.
__device__ inline int place(int warp, int k) {
  return ((warp * VECTORS + k) * kLanes + static_cast<int>(threadIdx.x) % kLanes) * VECTOR;
}

__device__ inline int place(int k) {
  return place(threadIdx.x / kLanes, k);
}

// The piece of `warp` in a tile that lies in shared memory; elements from `left` on are 0.
__device__ inline Items stored_items(const unsigned* tile, int warp, int left = kTile) {
  Items items;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    const Vector vector = *reinterpret_cast<const Vector*>(tile + place(warp, k));
    memcpy(items.element[k], &vector, sizeof vector);
  }
  if (left < kTile)
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < VECTOR; ++e)
        if (place(warp, k) + e >= left) items.element[k][e] = 0u;
  return items;
}

__device__ inline void store(unsigned* out, long long first, long long n, const Items& items, unsigned add) {
  unsigned* const tile = out + first;
  if (first + kTile <= n) {
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      unsigned results[VECTOR];
#pragma unroll
      for (int e = 0; e < VECTOR; ++e) results[e] = items.element[k][e] + add;
      Vector vector;
      memcpy(&vector, results, sizeof vector);
      STORE(reinterpret_cast<Vector*>(tile + place(k)), vector);
    }
    return;
  }
  const int left = static_cast<int>(n - first);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k)
#pragma unroll
    for (int e = 0; e < VECTOR; ++e)
      if (place(k) + e < left) tile[place(k) + e] = items.element[k][e] + add;
}

// Scans the warp's piece in place; returns its sum. Scans of different vectors do not wait for each other.
__device__ inline unsigned scan_piece(Items& items, int exclusive) {
  unsigned sums[VECTORS], scanned[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    sums[k] = 0u;
#pragma unroll
    for (int e = 0; e < VECTOR; ++e) {
      const unsigned own = items.element[k][e];
      items.element[k][e] = exclusive ? sums[k] : sums[k] + own;
      sums[k] += own;
    }
  }
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) scanned[k] = warp_scan(sums[k]);
  unsigned before = 0u;
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
#pragma unroll
    for (int e = 0; e < VECTOR; ++e) items.element[k][e] += before + scanned[k] - sums[k];
    before += __shfl_sync(kAllLanes, scanned[k], kLanes - 1);
  }
  return before;
}
