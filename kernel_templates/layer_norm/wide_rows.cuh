#pragma once

// Wide loads and stores of rows of float or half, whose elements outside of the row count as kOutside, which who includes this
// defines before. softmax and layer_norm have the same file.

#include <cuda_fp16.h>

#include <cstring>

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

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

  // What was loaded; kOutside outside of the row.
  __device__ void values(const Packed<T>& packed, int position, float (&values)[kVector<T>]) const {
#pragma unroll
    for (int e = 0; e < kVector<T>; ++e)
      values[e] = has(kAligned ? position : position + e) ? to_float(packed.element[e]) : kOutside;
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

// Over the warp, in all lanes.
__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}
