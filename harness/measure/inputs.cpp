#include "measure/inputs.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <type_traits>

#include "core/outcome.h"
#include "core/parallel.h"
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
    default:
      break;
  }
  throw std::logic_error("fill without a kind");
}

std::vector<std::byte> file_bytes(const Fill& fill, std::size_t size_bytes) {
  std::vector<std::byte> bytes(size_bytes);
  std::ifstream stream(fill.file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size_bytes));
  if (static_cast<std::size_t>(stream.gcount()) != size_bytes) {
    throw Error(fmt::format("{}: {} bytes are needed, {} can be read", fill.file.string(), size_bytes,
                            stream.gcount()));
  }
  return bytes;
}

template <class Number>
Number generated(const Expression& expression, std::size_t index) {
  const Value number = static_cast<std::int64_t>(index);
  const Value value = expression.evaluate(std::span<const Value>(&number, expression.names().size()));
  const Expression constant = Expression::constant(value);
  if constexpr (!std::is_integral_v<Number>) {
    return static_cast<Number>(constant.evaluate_double({}));
  } else {
    const double whole = std::floor(constant.evaluate_double({}));
    if (!(whole >= static_cast<double>(std::numeric_limits<Number>::min()) &&
          whole <= static_cast<double>(std::numeric_limits<Number>::max())))
      throw ExpressionError("the value " + to_string(value) + " does not fit", 0);
    return static_cast<Number>(whole);
  }
}

template <class Number>
std::vector<std::byte> generate_as(const Fill& fill, std::size_t count) {
  std::vector<std::byte> bytes(count * sizeof(Number));
  for_parts_of(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      try {
        const auto number = generated<Number>(fill.element, i);
        std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
      } catch (const ExpressionError& error) {
        throw Failure(Outcome::launch_failed,
                      fmt::format("element {} of the fill '{}': {}", i, fill.element.text(), error.what()));
      }
    }
  });
  return bytes;
}

template <class Number>
std::vector<std::byte> fill_as(const Fill& fill, std::size_t count, std::uint64_t key) {
  std::vector<std::byte> bytes(count * sizeof(Number));
  for_parts_of(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double value = element(fill, key, i);
      if constexpr (std::is_integral_v<Number>) value = std::floor(value);
      const auto number = static_cast<Number>(value);
      std::memcpy(bytes.data() + i * sizeof(Number), &number, sizeof(Number));
    }
  });
  return bytes;
}

}  // namespace

std::vector<std::byte> make_input(const BufferSpec& buffer, std::size_t count, std::uint64_t draw) {
  if (buffer.fill.kind == Fill::Kind::file) return file_bytes(buffer.fill, count * size_bytes(buffer.type));
  if (buffer.fill.kind == Fill::Kind::generated) {
    return visit_scalar(buffer.type,
                        [&](auto number) { return generate_as<decltype(number)>(buffer.fill, count); });
  }
  const std::uint64_t key = split_mix(buffer.fill.seed + draw * kGoldenGamma);
  return visit_scalar(buffer.type,
                      [&](auto number) { return fill_as<decltype(number)>(buffer.fill, count, key); });
}

bool differs_by_draw(const BufferSpec& buffer) {
  return !buffer.output_only && buffer.fill.kind == Fill::Kind::uniform;
}

std::optional<std::byte> uniform_byte(const BufferSpec& buffer) {
  if (buffer.output_only) return kPoison;
  return buffer.fill.kind == Fill::Kind::zero ? std::optional(std::byte{0}) : std::nullopt;
}

}  // namespace tailwave
