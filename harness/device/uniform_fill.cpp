#include "device/uniform_fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

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
Real most_of(const UniformFill& fill) {
  const auto low = static_cast<Real>(fill.low), high = static_cast<Real>(fill.high);
  return low < high && static_cast<double>(high) >= fill.high ? number_before(high) : high;
}

// What a value is at most before it becomes a number of the type: what is larger would round to more than most_of().
template <class Number>
double most_before_rounding(const UniformFill& fill) {
  if constexpr (std::is_integral_v<Number>) {
    return most_of<double>(fill);
  } else {
    return static_cast<double>(most_of<Number>(fill));
  }
}

template <class Number>
Number number_of(double value) {
  return static_cast<Number>(std::is_integral_v<Number> ? std::floor(value) : value);
}

template <class Number>
void fill_numbers(const UniformFill& fill, std::size_t first, std::span<std::byte> bytes) {
  const std::uint64_t base = counter_base(fill);
  const double most = most_before_rounding<Number>(fill);
  for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t bits = split_mix(base + (first + i + 1) * kGoldenGamma);
      const double value = fill.low + (fill.high - fill.low) * static_cast<double>(bits >> 11U) * 0x1p-53;
      const auto number = number_of<Number>(std::min(value, most));
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  });
}

}  // namespace

double largest_number(const UniformFill& fill) {
  return visit_scalar(fill.type, [&]<class Number>(Number) { return most_before_rounding<Number>(fill); });
}

std::uint64_t counter_base(const UniformFill& fill) {
  return split_mix(fill.seed + fill.draw * kGoldenGamma);
}

void fill_uniformly(const UniformFill& fill, std::size_t first, std::span<std::byte> bytes) {
  visit_scalar(fill.type, [&](auto number) { fill_numbers<decltype(number)>(fill, first, bytes); });
}

}  // namespace tailwave
