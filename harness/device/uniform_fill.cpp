#include "device/uniform_fill.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/parallel.h"
#include "core/random.h"

namespace tailwave {
namespace {

template <class Number>
void fill_numbers(const UniformFill& fill, std::size_t first, std::span<std::byte> bytes) {
  const std::uint64_t base = counter_base(fill);
  for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t bits = split_mix(base + (first + i + 1) * kGoldenGamma);
      const double value = fill.low + (fill.high - fill.low) * static_cast<double>(bits >> 11U) * 0x1p-53;
      const auto number = static_cast<Number>(std::is_integral_v<Number> ? std::floor(value) : value);
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  });
}

}  // namespace

std::uint64_t counter_base(const UniformFill& fill) {
  return split_mix(fill.seed + fill.draw * kGoldenGamma);
}

void fill_uniformly(const UniformFill& fill, std::size_t first, std::span<std::byte> bytes) {
  visit_scalar(fill.type, [&](auto number) { fill_numbers<decltype(number)>(fill, first, bytes); });
}

}  // namespace tailwave
