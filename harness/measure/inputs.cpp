#include "measure/inputs.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "core/outcome.h"
#include "core/parallel.h"

namespace tailwave {
namespace {

void read_part(const Fill& fill, std::size_t offset, std::span<std::byte> bytes) {
  std::ifstream stream(fill.file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(stream.gcount()) != bytes.size()) {
    throw Error(fmt::format("{}: {} bytes are needed, {} can be read", fill.file.string(),
                            offset + bytes.size(), offset + static_cast<std::size_t>(stream.gcount())));
  }
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
Number generated_at(const Fill& fill, std::size_t index) {
  try {
    return generated<Number>(fill.element, index);
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::launch_failed,
                  fmt::format("element {} of the fill '{}': {}", index, fill.element.text(), error.what()));
  }
}

template <class Number>
void fill_one_by_one(const Fill& fill, std::size_t first, std::span<std::byte> bytes) {
  for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto number = generated_at<Number>(fill, first + i);
      std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    }
  });
}

template <class Number>
void fill_with_one(double value, std::span<std::byte> bytes) {
  const auto number = static_cast<Number>(std::is_integral_v<Number> ? std::floor(value) : value);
  for (std::size_t offset = 0; offset + sizeof number <= bytes.size(); offset += sizeof number)
    std::memcpy(bytes.data() + offset, &number, sizeof number);
}

}  // namespace

void make_input(const BufferSpec& buffer, std::uint64_t draw, std::size_t first, std::span<std::byte> bytes) {
  const Fill& fill = buffer.fill;
  switch (fill.kind) {
    case Fill::Kind::file:
      return read_part(fill, first * size_bytes(buffer.type), bytes);
    case Fill::Kind::uniform:
      return fill_uniformly(*uniform_fill(buffer, draw), first, bytes);
    case Fill::Kind::generated:
      return visit_scalar(buffer.type,
                          [&](auto number) { fill_one_by_one<decltype(number)>(fill, first, bytes); });
    case Fill::Kind::zero:
    case Fill::Kind::constant:
      return visit_scalar(buffer.type, [&](auto number) {
        fill_with_one<decltype(number)>(fill.kind == Fill::Kind::zero ? 0 : fill.value, bytes);
      });
  }
  throw std::logic_error("fill without a kind");
}

std::vector<std::byte> make_input(const BufferSpec& buffer, std::size_t count, std::uint64_t draw) {
  std::vector<std::byte> bytes(count * size_bytes(buffer.type));
  make_input(buffer, draw, 0, bytes);
  return bytes;
}

std::optional<UniformFill> uniform_fill(const BufferSpec& buffer, std::uint64_t draw) {
  const Fill& fill = buffer.fill;
  if (fill.kind != Fill::Kind::uniform) return std::nullopt;
  return UniformFill{buffer.type, fill.low, fill.high, fill.seed, draw};
}

std::optional<std::byte> uniform_byte(const BufferSpec& buffer, std::uint64_t draw) {
  if (buffer.output_only) return is_real(buffer.type) || draw % 2 == 0 ? kPoison : kOtherPoison;
  return buffer.fill.kind == Fill::Kind::zero ? std::optional(std::byte{0}) : std::nullopt;
}

}  // namespace tailwave
