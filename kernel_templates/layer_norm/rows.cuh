#pragma once

// What the variants share: wide loads and stores of rows of float or half, gamma and beta, means and
// variances.

#include <cuda_fp16.h>

#include <cstring>

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// When a thread loads its gamma and beta: after the statistics of a row, with the row, or once for all of its
// rows.
enum Weights { late, early, kept };

template <int bytes>
struct BitsOf;
template <>
struct BitsOf<2> {
  using Type = unsigned short;
};
template <>
struct BitsOf<4> {
  using Type = unsigned;
};
template <>
struct BitsOf<8> {
  using Type = uint2;
};
template <>
struct BitsOf<16> {
  using Type = uint4;
};

// Elements of a vector: what one load takes.
template <class T>
constexpr int kVector = VECTOR_BYTES / static_cast<int>(sizeof(T));

template <class T>
struct alignas(VECTOR_BYTES) Packed {
  T element[kVector<T>];
};

__device__ inline float to_float(float value) {
  return value;
}
__device__ inline float to_float(half value) {
  return __half2float(value);
}
__device__ inline void from_float(float value, float& result) {
  result = value;
}
__device__ inline void from_float(float value, half& result) {
  result = __float2half_rn(value);
}

template <class T>
__device__ Packed<T> load_packed(const T* address) {
  using Bits = typename BitsOf<VECTOR_BYTES>::Type;
  const Bits bits = LOAD(reinterpret_cast<const Bits*>(address));
  Packed<T> packed;
  memcpy(&packed, &bits, sizeof bits);
  return packed;
}

template <class T>
__device__ void store_packed(T* address, const Packed<T>& packed) {
  using Bits = typename BitsOf<VECTOR_BYTES>::Type;
  Bits bits;
  memcpy(&bits, &packed, sizeof bits);
  STORE(reinterpret_cast<Bits*>(address), bits);
}

// One row, seen from the last vector boundary at or before its first element: it has the elements low to high
// of `begin`. Where all rows begin at a boundary (kAligned), low is 0 and a vector is either all inside or
// all outside.
template <class T, bool kAligned>
struct Row {
  size_t begin, elements;  // the latter of all rows
  int low, high;

  __device__ Row(int row, int rows, int columns) {
    const size_t first = static_cast<size_t>(row) * static_cast<size_t>(columns);
    elements = static_cast<size_t>(rows) * static_cast<size_t>(columns);
    low = kAligned ? 0 : static_cast<int>(first % kVector<T>);
    begin = first - low;
    high = low + columns;
  }

  __device__ bool has(int position) const { return (kAligned || low <= position) && position < high; }
  __device__ bool has_all(int position) const {
    return kAligned ? position < high : low <= position && position + kVector<T> <= high;
  }

  // What lies from `position` on, a multiple of the vector. At both ends that may be elements of other rows,
  // which values() leaves out: so a warp takes one way through this, but where the whole matrix ends.
  __device__ Packed<T> load(const T* in, int position) const {
    Packed<T> packed = {};
    if (position >= high) return packed;
    if (kAligned || begin + position + kVector<T> <= elements) return load_packed(in + begin + position);
#pragma unroll
    for (int e = 0; e < kVector<T>; ++e)
      if (begin + position + e < elements) packed.element[e] = in[begin + position + e];
    return packed;
  }

  // What was loaded; 0 outside of the row.
  __device__ void values(const Packed<T>& packed, int position, float (&values)[kVector<T>]) const {
#pragma unroll
    for (int e = 0; e < kVector<T>; ++e)
      values[e] = has(kAligned ? position : position + e) ? to_float(packed.element[e]) : 0.0f;
  }

  __device__ void store(T* out, int position, const float (&values)[kVector<T>]) const {
    Packed<T> packed;
#pragma unroll
    for (int e = 0; e < kVector<T>; ++e) from_float(values[e], packed.element[e]);
    if (has_all(position)) {
      store_packed(out + begin + position, packed);
      return;
    }
    if (kAligned) return;
#pragma unroll
    for (int e = 0; e < kVector<T>; ++e)
      if (has(position + e)) out[begin + position + e] = packed.element[e];
  }
};

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
__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}
__device__ inline Moments warp_sum(Moments mine) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    mine.add({__shfl_xor_sync(kAllLanes, mine.count, distance),
              __shfl_xor_sync(kAllLanes, mine.mean, distance),
              __shfl_xor_sync(kAllLanes, mine.squares, distance)});
  return mine;
}
