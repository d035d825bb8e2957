#include "device/uniform_fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/parallel.h"
#include "core/random.h"

namespace tailwave {
namespace {

// The largest number of the type that is less than the fill's upper bound; rounding could reach that.
template <class Real>
Real most_of(const UniformFill& fill) {
  const auto low = static_cast<Real>(fill.low), high = static_cast<Real>(fill.high);
  return low < high && static_cast<double>(high) >= fill.high ? std::nextafter(high, low) : high;
}

template <class Number>
Number number_of(const UniformFill& fill, double value) {
  if constexpr (std::is_integral_v<Number>) {
    return static_cast<Number>(std::floor(std::min(value, most_of<double>(fill))));
  } else {
    return std::min(static_cast<Number>(value), most_of<Number>(fill));
  }
}

template <class Number>
void fill_numbers(const UniformFill& fill, std::size_t first, std::span<std::byte> bytes) {
  const std::uint64_t base = counter_base(fill);
  for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t bits = split_mix(base + (first + i + 1) * kGoldenGamma);
      const double value = fill.low + (fill.high - fill.low) * static_cast<double>(bits >> 11U) * 0x1p-53;
      const auto number = number_of<Number>(fill, value);
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  });
}

}  // namespace

double largest_double(const UniformFill& fill) {
  return most_of<double>(fill);
}

float largest_float(const UniformFill& fill) {
  return most_of<float>(fill);
}

std::uint64_t counter_base(const UniformFill& fill) {
  return split_mix(fill.seed + fill.draw * kGoldenGamma);
}

void fill_uniformly(const UniformFill& fill, std::size_t first, std::span<std::byte> bytes) {
  visit_scalar(fill.type, [&](auto number) { fill_numbers<decltype(number)>(fill, first, bytes); });
}

}  // namespace tailwave
