#pragma once

// What the variants share: gamma and beta, means and variances, and reductions.

constexpr float kOutside = 0.0f;

#include "wide_rows.cuh"

// When a thread loads its gamma and beta: after the statistics of a row, with the row, or once for all of its
// rows.
enum Weights { late, early, kept };

// gamma and beta of a vector of elements.
template <class T>
struct WeightPair {
  Packed<T> gamma, beta;
};

// Of the vector at `position` of the row. Rows that do not begin at a boundary need them one by one.
template <class T, bool kAligned>
__device__ WeightPair<T> load_weights(const Row<T, kAligned>& row, const T* gamma, const T* beta,
                                      int position) {
  using Bits = typename BitsOf<VECTOR_BYTES>::Type;
  WeightPair<T> weights = {};
  if (kAligned) {
    if (!row.has(position)) return weights;
    const Bits gamma_bits = __ldg(reinterpret_cast<const Bits*>(gamma + position));
    const Bits beta_bits = __ldg(reinterpret_cast<const Bits*>(beta + position));
    memcpy(&weights.gamma, &gamma_bits, sizeof gamma_bits);
    memcpy(&weights.beta, &beta_bits, sizeof beta_bits);
    return weights;
  }
#pragma unroll
  for (int e = 0; e < kVector<T>; ++e) {
    if (!row.has(position + e)) continue;
    weights.gamma.element[e] = __ldg(gamma + position + e - row.low);
    weights.beta.element[e] = __ldg(beta + position + e - row.low);
  }
  return weights;
}

// What a row is normalised with.
struct Statistics {
  float mean, scale;
};

__device__ inline Statistics statistics(float mean, float variance, float epsilon) {
  return {mean, rsqrtf(variance + epsilon)};
}

template <class T>
__device__ void normalise(float (&values)[kVector<T>], const Statistics& of_row,
                          const WeightPair<T>& weights) {
#pragma unroll
  for (int e = 0; e < kVector<T>; ++e)
    values[e] = (values[e] - of_row.mean) * of_row.scale * to_float(weights.gamma.element[e]) +
                to_float(weights.beta.element[e]);
}

// The sum of the values, and of the squares of their distances to `mean`; those outside of the row count for
// nothing.
template <class T>
__device__ float sum_of(const float (&values)[kVector<T>]) {
  float sum = 0.0f;
#pragma unroll
  for (int e = 0; e < kVector<T>; ++e) sum += values[e];
  return sum;
}
template <class T, bool kAligned>
__device__ float squares_of(const Row<T, kAligned>& row, const float (&values)[kVector<T>], int position,
                            float mean) {
  float squares = 0.0f;
#pragma unroll
  for (int e = 0; e < kVector<T>; ++e) {
    const float distance = values[e] - mean;
    if (row.has(kAligned ? position : position + e)) squares += distance * distance;
  }
  return squares;
}
template <class T, bool kAligned>
__device__ int count_of(const Row<T, kAligned>& row, int position) {
  if (kAligned) return row.has(position) ? kVector<T> : 0;
  return max(0, min(position + kVector<T>, row.high) - max(position, row.low));
}

// Mean and sum of squared distances to it, of so many elements. Two of them are merged without a loss of
// digits, however far the mean is from 0.
struct Moments {
  float count, mean, squares;

  static __device__ Moments nothing() { return {0.0f, 0.0f, 0.0f}; }

  __device__ void add(const Moments& other) {
    const float both = count + other.count;
    const float share = other.count / fmaxf(both, 1.0f);
    const float distance = other.mean - mean;
    mean += distance * share;
    squares += other.squares + distance * distance * count * share;
    count = both;
  }
  __device__ Statistics statistics(float epsilon) const {
    return ::statistics(mean, squares / count, epsilon);
  }
};

// Of one vector.
template <class T, bool kAligned>
__device__ Moments moments_of(const Row<T, kAligned>& row, const float (&values)[kVector<T>], int position) {
  const int count = count_of(row, position);
  const float mean = sum_of<T>(values) / static_cast<float>(max(count, 1));
  return {static_cast<float>(count), mean, squares_of(row, values, position, mean)};
}

// Over the warp, in all lanes.
__device__ inline Moments warp_sum(Moments mine) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    mine.add({__shfl_xor_sync(kAllLanes, mine.count, distance),
              __shfl_xor_sync(kAllLanes, mine.mean, distance),
              __shfl_xor_sync(kAllLanes, mine.squares, distance)});
  return mine;
}
