#pragma once

// What the balanced variants have in common: products of neighbouring non-zeros in shared memory, searches, carries.

#include <cstring>

template <int count>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Float = float;
  using Int = int;
};
template <>
struct VectorOf<2> {
  using Float = float2;
  using Int = int2;
};
template <>
struct VectorOf<4> {
  using Float = float4;
  using Int = int4;
};

// products[i - begin] for the non-zeros `begin` (a multiple of VECTOR) to `end`.
template <int kCount>
__device__ inline void put_products(float* products, const int* columns, const float* values, const float* x,
                                    int begin, int end) {
  constexpr int kRounds = (kCount + VECTOR * BLOCK_SIZE - 1) / (VECTOR * BLOCK_SIZE);
  int column[kRounds][VECTOR];
  float value[kRounds][VECTOR];
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    const int i = begin + (k * BLOCK_SIZE + static_cast<int>(threadIdx.x)) * VECTOR;
    if (i + VECTOR <= end) {
      const auto four_columns = LOAD(reinterpret_cast<const typename VectorOf<VECTOR>::Int*>(columns + i));
      const auto four_values = LOAD(reinterpret_cast<const typename VectorOf<VECTOR>::Float*>(values + i));
      memcpy(column[k], &four_columns, sizeof four_columns);
      memcpy(value[k], &four_values, sizeof four_values);
    } else {
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        column[k][v] = i + v < end ? LOAD(columns + i + v) : 0;
        value[k][v] = i + v < end ? LOAD(values + i + v) : 0.0f;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < kRounds; ++k)
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) {
      const int i = (k * BLOCK_SIZE + static_cast<int>(threadIdx.x)) * VECTOR + v;
      if (begin + i < end) products[i] = value[k][v] * __ldg(x + column[k][v]);
    }
}

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kWarps = BLOCK_SIZE / kLanes;
static_assert(BLOCK_SIZE % kLanes == 0, "a block has to be made of whole warps");

// The first of low, ..., high - 1 for which `holds`, which stays true from there on; `high` if none. A warp looks at 32 at once.
template <typename Condition>
__device__ inline int search(int low, int high, const Condition& holds) {
  const int lane = threadIdx.x % kLanes;
  while (low < high) {
    const int step = (high - low + kLanes - 1) / kLanes;
    const int probe = low + (lane + 1) * step - 1;
    const int not_yet = __popc(~__ballot_sync(kAllLanes, probe >= high || holds(probe)));
    high = min(high, low + (not_yet + 1) * step - 1);
    low = min(high, low + not_yet * step);
  }
  return low;
}

// What a tile has of a row that another tile stores.
struct Carry {
  int row;  // -1: none
  float sum;
};

// Adds what tiles have of the same row in their order. Tiles of one row follow one another; the thread of the first adds them all.
extern "C" __global__ void __launch_bounds__(256) add_carries(float* y, const Carry* carries, int tiles) {
  const int tile = blockIdx.x * 256 + threadIdx.x;
  if (tile >= tiles) return;
  const int row = carries[tile].row;
  if (row < 0 || (tile > 0 && carries[tile - 1].row == row)) return;
  float sum = 0.0f;
#pragma unroll 8
  for (int t = tile; t < tiles; ++t) {
    if (carries[t].row != row) break;
    sum += carries[t].sum;
  }
  y[row] += sum;
}
