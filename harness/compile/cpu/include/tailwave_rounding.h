#pragma once

// Rounding to 16 bits, and from there to integers, in each of CUDA's four modes.

// NOLINTBEGIN(modernize-deprecated-headers): the C headers, which declare functions outside std
#include <math.h>
// NOLINTEND(modernize-deprecated-headers)

namespace tailwave_cpu {

enum class Rounding { nearest, zero, up, down };

template <class Small>
inline Small rounded(double value, Rounding to) {
  Small small(value);
  const double got = static_cast<float>(small);
  const bool lower = got > value && (to == Rounding::down || (to == Rounding::zero && value > 0));
  const bool higher = got < value && (to == Rounding::up || (to == Rounding::zero && value < 0));
  // The next number towards zero, or away from it, has the next bits.
  if (lower) small.bits = static_cast<decltype(small.bits)>(value > 0 ? small.bits - 1 : small.bits + 1);
  if (higher) small.bits = static_cast<decltype(small.bits)>(value > 0 ? small.bits + 1 : small.bits - 1);
  return small;
}

// An integer as a double that rounds to fewer bits as the integer does: its last bit says whether any was lost.
template <class Integer>
inline double with_sticky_bit(Integer value) {
  unsigned long long size = static_cast<unsigned long long>(value);
  const bool negative = value < 0;
  if (negative) size = 0 - size;
  int shift = 0;
  for (; size >> 53 != 0; ++shift) size = (size >> 1) | (size & 1);
  const double result = ldexp(static_cast<double>(size), shift);
  return negative ? -result : result;
}

// What is beyond the type's numbers becomes the nearest of them; NaN becomes 0, of 64 bits the highest alone.
template <class Integer>
inline Integer integer_of(float value, Rounding to) {
  constexpr bool kSigned = static_cast<Integer>(-1) < static_cast<Integer>(0);
  constexpr Integer kMost = static_cast<Integer>(~0ULL >> (64 - 8 * sizeof(Integer) + (kSigned ? 1 : 0)));
  constexpr Integer kLeast = kSigned ? static_cast<Integer>(-kMost - 1) : 0;
  if (!(value == value)) return sizeof(Integer) == 8 ? static_cast<Integer>(1ULL << 63) : 0;
  const double whole = to == Rounding::nearest ? rint(value)
                       : to == Rounding::zero  ? trunc(value)
                       : to == Rounding::up    ? ceil(value)
                                               : floor(value);
  if (whole >= static_cast<double>(kMost)) return kMost;
  if (whole <= static_cast<double>(kLeast)) return kLeast;
  return static_cast<Integer>(whole);
}

}  // namespace tailwave_cpu
