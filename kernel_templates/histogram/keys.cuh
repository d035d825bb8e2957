#pragma once

// What the variants share: keys loaded in vectors, and the end of an execution.

#include <cstring>

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kItems = VECTOR * VECTORS;
constexpr int kTile = BLOCK_SIZE * kItems;

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

// A thread's keys of a tile. Of the last tile only the first `count` of each vector are there.
struct Keys {
  unsigned key[VECTORS][VECTOR];
  int count[VECTORS];

  __device__ Keys(const unsigned* keys, int tile, int n) {
    const long long first = static_cast<long long>(tile) * kTile + static_cast<int>(threadIdx.x) * VECTOR;
    if (static_cast<long long>(tile + 1) * kTile <= n) {
#pragma unroll
      for (int k = 0; k < VECTORS; ++k) {
        const Vector vector = LOAD(reinterpret_cast<const Vector*>(keys + first + k * BLOCK_SIZE * VECTOR));
        memcpy(key[k], &vector, sizeof vector);
        count[k] = VECTOR;
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      const long long position = first + k * BLOCK_SIZE * VECTOR;
      count[k] = static_cast<int>(max(0ll, min(static_cast<long long>(VECTOR), n - position)));
#pragma unroll
      for (int e = 0; e < VECTOR; ++e) key[k][e] = e < count[k] ? keys[position + e] : 0u;
    }
  }

  // Calls `each(bin, is_there)` for every key, in all threads equally often.
  template <class Each>
  __device__ void visit(int bins, Each each) const {
#pragma unroll
    for (int k = 0; k < VECTORS; ++k)
#pragma unroll
      for (int e = 0; e < VECTOR; ++e)
        each(static_cast<int>(key[k][e] & static_cast<unsigned>(bins - 1)), e < count[k]);
  }
};

// Calls `each(keys)` for every tile of this block, which takes every gridDim.x-th. With PREFETCH the next
// tile's keys are on their way meanwhile.
template <class Each>
__device__ void for_tiles(const unsigned* keys, int n, Each each) {
  const int tiles = (n - 1) / kTile + 1;
  const int step = gridDim.x;
  Keys now(keys, blockIdx.x, n);
  for (int tile = blockIdx.x;; tile += step) {
    const bool is_last = tile + step >= tiles;
    if (PREFETCH) {
      const Keys next(keys, is_last ? tile : tile + step, n);
      each(now);
      now = next;
    } else {
      each(now);
      if (!is_last) now = Keys(keys, tile + step, n);
    }
    if (is_last) return;
  }
}

// Calls `each(bin, is_there)` for every key of this block, in all threads of the block equally often.
template <class Each>
__device__ void visit_all(const unsigned* keys, int n, int bins, Each each) {
  for_tiles(keys, n, [&](const Keys& tile) { tile.visit(bins, each); });
}

// `sums` is what all blocks add to. The block that ends last moves it to `counts`, and leaves zeros for the
// next execution.
__device__ inline void finish(unsigned* counts, unsigned* sums, unsigned* ended, int bins) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(ended, gridDim.x - 1u) == gridDim.x - 1u;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for (int bin = threadIdx.x; bin < bins; bin += BLOCK_SIZE) {
    counts[bin] = __ldcg(sums + bin);
    sums[bin] = 0u;
  }
}
