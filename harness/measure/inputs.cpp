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

void read_part(const std::filesystem::path& file, std::size_t offset, std::span<std::byte> bytes) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(stream.gcount()) != bytes.size()) {
    throw Error(fmt::format("{}: {} bytes are needed, {} can be read", file.string(), offset + bytes.size(),
                            offset + static_cast<std::size_t>(stream.gcount())));
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
Number generated_at(const Expression& element, std::size_t index) {
  try {
    return generated<Number>(element, index);
  } catch (const ExpressionError& error) {
    throw Failure(Outcome::launch_failed,
                  fmt::format("element {} of the fill '{}': {}", index, element.text(), error.what()));
  }
}

template <class Number>
void fill_one_by_one(const Expression& element, std::size_t first, std::span<std::byte> bytes) {
  for_parts_of(bytes.size() / sizeof(Number), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto number = generated_at<Number>(element, first + i);
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

Input input_of(const std::string& name, const BufferSpec& buffer, std::size_t count, const Values& scope) {
  const Fill& fill = buffer.fill;
  try {
    const std::int64_t skipped = fill.offset.evaluate_int(scope);
    if (skipped < 0) throw FillError("offset", fmt::format("the offset is {}, expected at least 0", skipped));
    const std::uint64_t heading = fill.heading ? fill.heading->bytes : 0;
    return {buffer.type, count,
            fill.kind,   evaluate_fill(buffer, static_cast<std::int64_t>(count), scope),
            fill.file,   heading + static_cast<std::uint64_t>(skipped) * size_bytes(buffer.type)};
  } catch (const std::runtime_error& error) {  // FillError, ExpressionError
    throw Failure(Outcome::launch_failed, fmt::format("fill of buffer '{}': {}", name, error.what()));
  }
}

void make_input(const Input& input, std::uint64_t draw, std::size_t first, std::span<std::byte> bytes) {
  switch (input.kind) {
    case Fill::Kind::file:
      return read_part(input.file, input.file_offset + first * size_bytes(input.type), bytes);
    case Fill::Kind::uniform:
    case Fill::Kind::normal:
    case Fill::Kind::integers:
    case Fill::Kind::permutation:
      return fill_randomly(*random_fill(input, draw), first, bytes);
    case Fill::Kind::generated:
      return visit_scalar(input.type, [&](auto number) {
        fill_one_by_one<decltype(number)>(input.values.element, first, bytes);
      });
    case Fill::Kind::function:
      throw std::logic_error("a function's input is made elsewhere");
    case Fill::Kind::zero:
    case Fill::Kind::constant:
      return visit_scalar(input.type,
                          [&](auto number) { fill_with_one<decltype(number)>(input.values.low, bytes); });
  }
  throw std::logic_error("fill without a kind");
}

std::vector<std::byte> make_input(const BufferSpec& buffer, std::size_t count, std::uint64_t draw,
                                  const Values& scope) {
  std::vector<std::byte> bytes(count * size_bytes(buffer.type));
  make_input(input_of("", buffer, count, scope), draw, 0, bytes);
  return bytes;
}

std::optional<RandomFill> random_fill(const Input& input, std::uint64_t draw) {
  const FillValues& values = input.values;
  RandomFill fill{.type = input.type, .seed = values.seed, .draw = draw};
  switch (input.kind) {
    case Fill::Kind::uniform:
      fill.low = values.low;
      fill.high = values.high;
      return fill;
    case Fill::Kind::normal:
      fill.distribution = Distribution::normal;
      fill.mean = values.low;
      fill.deviation = values.high;
      return fill;
    case Fill::Kind::integers:
      fill.distribution = Distribution::integers;
      fill.least = values.least;
      fill.greatest = values.greatest;
      return fill;
    case Fill::Kind::permutation:
      fill.distribution = Distribution::permutation;
      fill.count = input.count;
      return fill;
    default:
      return std::nullopt;
  }
}

std::optional<std::byte> uniform_byte(const BufferSpec& buffer, std::uint64_t draw) {
  if (buffer.output_only) return is_real(buffer.type) || draw % 2 == 0 ? kPoison : kOtherPoison;
  return buffer.fill.kind == Fill::Kind::zero ? std::optional(std::byte{0}) : std::nullopt;
}

}  // namespace tailwave
