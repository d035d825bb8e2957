#pragma once

// A tile's elements from global memory into registers, by LOAD.

#include "items.cuh"

// Elements beyond the last are 0.
__device__ inline Items load(const unsigned* in, long long first, long long n) {
  Items items;
  const unsigned* const tile = in + first;
  if (first + kTile <= n) {
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      const Vector vector = LOAD(reinterpret_cast<const Vector*>(tile + place(k)));
      memcpy(items.element[k], &vector, sizeof vector);
    }
    return items;
  }
  const int left = static_cast<int>(n - first);
#pragma unroll
  for (int k = 0; k < VECTORS; ++k)
#pragma unroll
    for (int e = 0; e < VECTOR; ++e) items.element[k][e] = place(k) + e < left ? tile[place(k) + e] : 0u;
  return items;
}
