#include "device/random_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/normal_quantile.h"
#include "core/parallel.h"
#include "core/random.h"

namespace tailwave {
namespace {

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

// The largest number of the type that is less than the fill's upper bound; rounding could reach that.
template <class Real>
Real most_of(const RandomFill& fill) {
  const auto low = static_cast<Real>(fill.low), high = static_cast<Real>(fill.high);
  return low < high && static_cast<double>(high) >= fill.high ? number_before(high) : high;
}

// What a uniform value is at most before it becomes a number of the type: what is larger would round to more.
template <class Number>
double most_before_rounding(const RandomFill& fill) {
  if constexpr (std::is_integral_v<Number>) {
    return most_of<double>(fill);
  } else {
    return static_cast<double>(most_of<Number>(fill));
  }
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

// The high 64 bits of the product.
std::uint64_t high_of_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0xFFFFFFFFU;
  const std::uint64_t cross = (a >> 32U) * (b & kLow) + ((a & kLow) * (b & kLow) >> 32U);
  const std::uint64_t other = (a & kLow) * (b >> 32U) + (cross & kLow);
  return (a >> 32U) * (b >> 32U) + (cross >> 32U) + (other >> 32U);
}

// number(bits, i) for each element i from `first` on.
template <class Number, class Make>
void fill_numbers(std::uint64_t base, std::size_t first, std::span<std::byte> bytes, Make number) {
  for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Number made = number(split_mix(base + (first + i + 1) * kGoldenGamma), first + i);
      std::memcpy(bytes.data() + i * sizeof made, &made, sizeof made);
    }
  });
}

std::uint64_t place_in_permutation(const Feistel& network, std::uint64_t count, std::uint64_t base,
                                   std::uint64_t place) {
  do {
    std::uint64_t left = place >> network.right_bits, right = place & network.right_mask;
    for (unsigned round = 0; round < Feistel::kRounds; ++round) {
      const std::uint64_t half = round % 2 == 0 ? right : left;
      const std::uint64_t bits = split_mix(base + (half * Feistel::kRounds + round + 1) * kGoldenGamma);
      (round % 2 == 0 ? left : right) ^= bits & (round % 2 == 0 ? network.left_mask : network.right_mask);
    }
    place = left << network.right_bits | right;
  } while (place >= count);
  return place;
}

template <class Number>
void fill_with(const RandomFill& fill, std::size_t first, std::span<std::byte> bytes) {
  const std::uint64_t base = counter_base(fill);
  const ValueBounds bounds = value_bounds(fill);
  switch (fill.distribution) {
    case Distribution::uniform:
      return fill_numbers<Number>(base, first, bytes, [&](std::uint64_t bits, std::size_t) {
        const double value = fill.low + (fill.high - fill.low) * static_cast<double>(bits >> 11U) * 0x1p-53;
        return number_of<Number>(std::min(value, bounds.most));
      });
    case Distribution::normal:
      return fill_numbers<Number>(base, first, bytes, [&](std::uint64_t bits, std::size_t) {
        const double probability = (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
        const double value = fill.mean + fill.deviation * standard_normal(probability);
        return number_of<Number>(std::min(std::max(value, bounds.least), bounds.most));
      });
    case Distribution::integers: {
      const std::uint64_t range = range_of(fill);
      return fill_numbers<Number>(base, first, bytes, [&](std::uint64_t bits, std::size_t) {
        const std::uint64_t above = range == 0 ? bits : high_of_product(bits, range);
        return number_of<Number>(static_cast<std::int64_t>(static_cast<std::uint64_t>(fill.least) + above));
      });
    }
    case Distribution::permutation: {
      const Feistel network = feistel_of(fill.count);
      return fill_numbers<Number>(base, first, bytes, [&](std::uint64_t, std::size_t i) {
        return number_of<Number>(
            static_cast<std::int64_t>(place_in_permutation(network, fill.count, base, i)));
      });
    }
  }
}

}  // namespace

ValueBounds value_bounds(const RandomFill& fill) {
  return visit_scalar(fill.type, [&]<class Number>(Number) {
    if (fill.distribution == Distribution::uniform)
      return ValueBounds{std::numeric_limits<double>::lowest(), most_before_rounding<Number>(fill)};
    return bounds_of_type<Number>();
  });
}

std::uint64_t range_of(const RandomFill& fill) {
  return static_cast<std::uint64_t>(fill.greatest) - static_cast<std::uint64_t>(fill.least) + 1;
}

Feistel feistel_of(std::uint64_t count) {
  const auto bits = static_cast<unsigned>(std::max(1, static_cast<int>(std::bit_width(count - 1))));
  const unsigned right_bits = (bits + 1) / 2;
  const auto mask = [](unsigned of) { return (std::uint64_t{1} << of) - 1; };
  return {right_bits, mask(bits - right_bits), mask(right_bits)};
}

std::uint64_t counter_base(const RandomFill& fill) {
  return split_mix(fill.seed + fill.draw * kGoldenGamma);
}

void fill_randomly(const RandomFill& fill, std::size_t first, std::span<std::byte> bytes) {
  visit_scalar(fill.type, [&](auto number) { fill_with<decltype(number)>(fill, first, bytes); });
}

}  // namespace tailwave
