#include "spec/fill_values.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <type_traits>
#include <utility>

namespace tailwave {
namespace {

// Reached at `beyond` it is none of the type's any more: what is below that bound is.
void require_number(ScalarType type, const std::string& key, double value, double beyond = 0) {
  const bool fits = visit_scalar(type, [&](auto number) {
    using Limits = std::numeric_limits<decltype(number)>;
    return value >= static_cast<double>(Limits::lowest()) &&
           value <= static_cast<double>(Limits::max()) + beyond;
  });
  if (!fits) throw FillError(key, fmt::format("{} is no {}", to_string(Value(value)), to_string(type)));
}

// Real types have gaps from some whole number on.
void require_whole(ScalarType type, const std::string& key, std::int64_t whole) {
  visit_scalar(type, [&]<class Number>(Number) {
    if constexpr (std::is_integral_v<Number>) {
      if (!std::in_range<Number>(whole))
        throw FillError(key, fmt::format("{} is no {}", whole, to_string(type)));
    } else {
      constexpr auto kMost = std::int64_t{1} << std::numeric_limits<Number>::digits;
      if (whole > kMost || whole < -kMost)
        throw FillError(key, fmt::format("{} does not have all whole numbers up to {}, only up to {}",
                                         to_string(type), whole, whole < 0 ? -kMost : kMost));
    }
  });
}

std::uint64_t seed_of(const Fill& fill, const Values& scope) {
  const std::int64_t seed = fill.seed.evaluate_int(scope);
  if (seed < 0) throw FillError("seed", fmt::format("the seed is {}, expected at least 0", seed));
  return static_cast<std::uint64_t>(seed);
}

FillValues uniform_values(const BufferSpec& buffer, const Values& scope) {
  FillValues values{.low = buffer.fill.low.evaluate_double(scope),
                    .high = buffer.fill.high.evaluate_double(scope)};
  if (!(values.low < values.high))
    throw FillError("", fmt::format("'low' is {}, expected less than 'high', {}",
                                    to_string(Value(values.low)), to_string(Value(values.high))));
  require_number(buffer.type, "low", values.low);
  require_number(buffer.type, "high", values.high, 1);
  return values;
}

FillValues normal_values(const BufferSpec& buffer, const Values& scope) {
  FillValues values{.low = buffer.fill.mean.evaluate_double(scope),
                    .high = buffer.fill.deviation.evaluate_double(scope)};
  require_number(buffer.type, "mean", values.low);
  if (values.high < 0)
    throw FillError("deviation",
                    fmt::format("the deviation is {}, expected at least 0", to_string(Value(values.high))));
  return values;
}

FillValues integer_values(const BufferSpec& buffer, const Values& scope) {
  FillValues values{.least = buffer.fill.low.evaluate_int(scope),
                    .greatest = buffer.fill.high.evaluate_int(scope)};
  if (values.least > values.greatest)
    throw FillError("",
                    fmt::format("'low' is {}, expected at most 'high', {}", values.least, values.greatest));
  require_whole(buffer.type, "low", values.least);
  require_whole(buffer.type, "high", values.greatest);
  return values;
}

// With the values of what it names besides the element's number.
Expression bound(const Expression& element, const Values& scope) {
  std::map<std::string, Expression> replacements;
  for (const std::string& name : element.names())
    if (const auto value = scope.find(name); name != "i" && value != scope.end())
      replacements.emplace(name, Expression::constant(value->second));
  return replacements.empty() ? element : element.substitute(replacements);
}

}  // namespace

FillValues evaluate_fill(const BufferSpec& buffer, std::int64_t count, const Values& scope) {
  const Fill& fill = buffer.fill;
  FillValues values;
  switch (fill.kind) {
    case Fill::Kind::zero:
    case Fill::Kind::file:
    case Fill::Kind::function:
      return values;
    case Fill::Kind::constant:
      values.low = values.high = fill.value.evaluate_double(scope);
      require_number(buffer.type, "value", values.low);
      return values;
    case Fill::Kind::generated:
      values.element = bound(fill.element, scope);
      return values;
    case Fill::Kind::uniform:
      values = uniform_values(buffer, scope);
      break;
    case Fill::Kind::normal:
      values = normal_values(buffer, scope);
      break;
    case Fill::Kind::integers:
      values = integer_values(buffer, scope);
      break;
    case Fill::Kind::permutation:
      require_whole(buffer.type, "kind", count - 1);
      break;
  }
  values.seed = seed_of(fill, scope);
  return values;
}

}  // namespace tailwave
