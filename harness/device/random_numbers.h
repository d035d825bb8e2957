#pragma once

// Random bits as numbers of a type: random_fill.h says which. C++17 and of the project only headers of core/, since
// exported programs have it, too (standalone/).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/normal_quantile.h"
#include "core/random.h"
#include "core/small_float.h"

namespace tailwave {

// Of element i.
inline std::uint64_t random_bits(std::uint64_t base, std::uint64_t i) {
  return split_mix(base + (i + 1) * kGoldenGamma);
}

inline std::uint64_t counter_base(std::uint64_t seed, std::uint64_t draw) {
  return split_mix(seed + draw * kGoldenGamma);
}

// What a value is at least and at most before it becomes a number of the type. Of uniform ones the type's largest number
// below the upper bound, which rounding could reach; of integers, which are rounded down afterwards, the largest float64.
struct ValueBounds {
  double least = 0, most = 0;
};

template <class Real>
Real number_before(Real number) {
  if constexpr (kIsSmallFloat<Real>) {
    const auto value = static_cast<double>(number);
    if (value == 0) return Real(-static_cast<double>(std::numeric_limits<Real>::denorm_min()));
    number.bits = static_cast<decltype(number.bits)>(value > 0 ? number.bits - 1 : number.bits + 1);
    return number;
  } else {
    return std::nextafter(number, std::numeric_limits<Real>::lowest());
  }
}

// The largest number of the type that is less than the upper bound; rounding could reach that.
template <class Real>
Real most_below(double lower, double upper) {
  const auto low = static_cast<Real>(lower), high = static_cast<Real>(upper);
  return low < high && static_cast<double>(high) >= upper ? number_before(high) : high;
}

template <class Number>
ValueBounds uniform_bounds(double low, double high) {
  constexpr double kLowest = std::numeric_limits<double>::lowest();
  if constexpr (std::is_integral_v<Number>)
    return {kLowest, most_below<double>(low, high)};
  else
    return {kLowest, static_cast<double>(most_below<Number>(low, high))};
}

// What can become a number of the type; of 64 bits the float64 that are next to its ends.
template <class Number>
ValueBounds bounds_of_type() {
  using Limits = std::numeric_limits<Number>;
  const auto least = static_cast<double>(Limits::lowest()), most = static_cast<double>(Limits::max());
  if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) return {least, number_before(most)};
  return {least, most};
}

template <class Number>
Number number_of(double value) {
  return static_cast<Number>(std::is_integral_v<Number> ? std::floor(value) : value);
}

template <class Number>
Number number_of(std::int64_t whole) {
  if constexpr (std::is_integral_v<Number>) return static_cast<Number>(whole);
  return static_cast<Number>(static_cast<double>(whole));
}

template <class Number>
Number uniform_number(std::uint64_t bits, double low, double high, const ValueBounds& bounds) {
  const double value = low + (high - low) * static_cast<double>(bits >> 11U) * 0x1p-53;
  return number_of<Number>(std::min(value, bounds.most));
}

template <class Number>
Number normal_number(std::uint64_t bits, double mean, double deviation, const ValueBounds& bounds) {
  const double probability = (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
  const double value = mean + deviation * standard_normal(probability);
  return number_of<Number>(std::min(std::max(value, bounds.least), bounds.most));
}

// The high 64 bits of the product.
inline std::uint64_t high_of_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0xFFFFFFFFU;
  const std::uint64_t cross = (a >> 32U) * (b & kLow) + ((a & kLow) * (b & kLow) >> 32U);
  const std::uint64_t other = (a & kLow) * (b >> 32U) + (cross & kLow);
  return (a >> 32U) * (b >> 32U) + (cross >> 32U) + (other >> 32U);
}

// greatest - least + 1; 0 stands for 2^64.
inline std::uint64_t range_of(std::int64_t least, std::int64_t greatest) {
  return static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least) + 1;
}

template <class Number>
Number integer_number(std::uint64_t bits, std::int64_t least, std::uint64_t range) {
  const std::uint64_t above = range == 0 ? bits : high_of_product(bits, range);
  return number_of<Number>(static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + above));
}

// The two halves of a number of the network, the right one in the low bits. In round r, from 0 on, the random bits of
// the right half (r even) or the left one (r odd) change the other: split_mix(base + (half * kRounds + r + 1) * gamma).
struct Feistel {
  static constexpr unsigned kRounds = 8;
  unsigned right_bits = 1;
  std::uint64_t left_mask = 0, right_mask = 1;
};

inline Feistel feistel_of(std::uint64_t count) {
  unsigned bits = 1;
  while (bits < 64 && (count - 1) >> bits != 0) ++bits;
  const unsigned right_bits = (bits + 1) / 2;
  const auto mask = [](unsigned of) { return (std::uint64_t{1} << of) - 1; };
  return {right_bits, mask(bits - right_bits), mask(right_bits)};
}

inline std::uint64_t place_in_permutation(const Feistel& network, std::uint64_t count, std::uint64_t base,
                                          std::uint64_t place) {
  do {
    std::uint64_t left = place >> network.right_bits, right = place & network.right_mask;
    for (unsigned round = 0; round < Feistel::kRounds; ++round) {
      const std::uint64_t half = round % 2 == 0 ? right : left;
      const std::uint64_t bits = random_bits(base, half * Feistel::kRounds + round);
      (round % 2 == 0 ? left : right) ^= bits & (round % 2 == 0 ? network.left_mask : network.right_mask);
    }
    place = left << network.right_bits | right;
  } while (place >= count);
  return place;
}

}  // namespace tailwave
