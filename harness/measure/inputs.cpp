#include "measure/inputs.h"

#include <cmath>
#include <cstring>

#include "core/random.h"

namespace tailwave {
namespace {

double element(const Fill& fill, std::uint64_t key, std::size_t index) {
  switch (fill.kind) {
    case Fill::Kind::zero:
      return 0;
    case Fill::Kind::constant:
      return fill.value;
    case Fill::Kind::uniform: {
      const std::uint64_t bits = split_mix(key + (index + 1) * kGoldenGamma);
      return fill.low + (fill.high - fill.low) * static_cast<double>(bits >> 11U) * 0x1p-53;
    }
  }
  throw std::logic_error("fill without a kind");
}

template <class Number>
std::vector<std::byte> fill_as(const Fill& fill, std::size_t count, std::uint64_t key) {
  std::vector<std::byte> bytes(count * sizeof(Number));
  for (std::size_t i = 0; i < count; ++i) {
    double value = element(fill, key, i);
    if constexpr (std::is_integral_v<Number>) value = std::floor(value);
    const auto number = static_cast<Number>(value);
    std::memcpy(bytes.data() + i * sizeof(Number), &number, sizeof(Number));
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> make_input(const BufferSpec& buffer, std::size_t count, std::uint64_t draw) {
  const std::uint64_t key = split_mix(buffer.fill.seed + draw * kGoldenGamma);
  switch (buffer.type) {
    case ScalarType::int32:
      return fill_as<std::int32_t>(buffer.fill, count, key);
    case ScalarType::int64:
      return fill_as<std::int64_t>(buffer.fill, count, key);
    case ScalarType::uint32:
      return fill_as<std::uint32_t>(buffer.fill, count, key);
    case ScalarType::float32:
      return fill_as<float>(buffer.fill, count, key);
    case ScalarType::float64:
      return fill_as<double>(buffer.fill, count, key);
  }
  throw std::logic_error("buffer without a type");
}

std::optional<std::byte> uniform_byte(const BufferSpec& buffer) {
  if (buffer.output_only) return kPoison;
  return buffer.fill.kind == Fill::Kind::zero ? std::optional(std::byte{0}) : std::nullopt;
}

}  // namespace tailwave
