#pragma once

// What the variants share: sums of exponentials, and reductions.

constexpr float kLog2E = 1.4426950408889634f;
// Stands for the elements outside of a row. Not an infinity, whose difference with itself would be a NaN.
constexpr float kLowest = -3.4028235e38f;
constexpr float kOutside = kLowest;

#include "wide_rows.cuh"

// exp(value - largest), by the base of 2 that the hardware has. The difference first: it is exact where it
// matters.
__device__ inline float exponential(float value, float largest) {
  return exp2f((value - largest) * kLog2E);
}

// A sum of exp(x - largest).
struct Sum {
  float largest;
  float sum;

  static __device__ Sum nothing() { return {kLowest, 0.0f}; }

  __device__ void add(const Sum& other) {
    const float both = fmaxf(largest, other.largest);
    sum = sum * exponential(largest, both) + other.sum * exponential(other.largest, both);
    largest = both;
  }

  // More elements, with one correction of what is there for all of them.
  template <int count>
  __device__ void add(const float (&values)[count]) {
    float both = largest;
#pragma unroll
    for (int e = 0; e < count; ++e) both = fmaxf(both, values[e]);
    sum *= exponential(largest, both);
#pragma unroll
    for (int e = 0; e < count; ++e) sum += exponential(values[e], both);
    largest = both;
  }
};

// Over the warp, in all lanes.
__device__ inline float warp_largest(float value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, distance));
  return value;
}
__device__ inline Sum warp_sum(const Sum& mine) {
  const float largest = warp_largest(mine.largest);
  return {largest, warp_sum(mine.sum * exponential(mine.largest, largest))};
}
