#pragma once

#include "block_sums.cuh"

// What a thread knows of the elements of a row that it has seen: with WELFORD mean and squared distances,
// corrected with each vector; else sums of the distances to the row's first element, which is near enough to
// the mean.
template <class T, bool kAligned>
struct Running {
  Moments moments;
  float first, sum, squares;

  __device__ Running(const T* in, const Row<T, kAligned>& row)
      : moments(Moments::nothing()),
        first(WELFORD ? 0.0f : to_float(in[row.begin + row.low])),
        sum(0.0f),
        squares(0.0f) {}

  __device__ void add(const Row<T, kAligned>& row, const float (&values)[kVector<T>], int position) {
    if (WELFORD) {
      moments.add(moments_of(row, values, position));
      return;
    }
#pragma unroll
    for (int e = 0; e < kVector<T>; ++e) {
      if (!row.has(kAligned ? position : position + e)) continue;
      const float distance = values[e] - first;
      sum += distance;
      squares += distance * distance;
    }
    moments.count += static_cast<float>(count_of(row, position));
  }

  // Of this thread's elements.
  __device__ Moments result() const {
    if (WELFORD) return moments;
    const float mean = sum / fmaxf(moments.count, 1.0f);
    return {moments.count, first + mean, fmaxf(squares - sum * mean, 0.0f)};
  }
};
