#include "measure/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/outcome.h"

namespace tailwave {
namespace {

// What one pass over both arrays finds.
struct Difference {
  double squared = 0;           // sum of squared differences
  double expected_squared = 0;  // sum of squared expected values
  double worst_absolute = 0;
  double worst_relative = 0;
  std::size_t not_finite = 0;
  std::size_t unequal = 0;
  std::size_t worst_index = 0;
  double worst_expected = 0, worst_actual = 0;
};

template <class Number>
void accumulate(Difference& total, std::size_t index, Number expected, Number actual) {
  const auto e = static_cast<double>(expected);
  const auto a = static_cast<double>(actual);
  // Infinities agree with themselves; a NaN agrees with nothing, not even where the reference has one.
  const bool finite = std::isfinite(a) && std::isfinite(e);
  const bool broken = !finite && a != e;
  if (broken) ++total.not_finite;
  if (!finite && !broken) return;
  const double difference = broken ? std::numeric_limits<double>::infinity() : std::abs(a - e);
  if (difference > total.worst_absolute) {
    total.worst_absolute = difference;
    total.worst_index = index;
    total.worst_expected = e;
    total.worst_actual = a;
  }
  total.squared += difference * difference;
  total.expected_squared += e * e;
  total.worst_relative = std::max(total.worst_relative, e == 0 ? difference : difference / std::abs(e));
}

template <class Number>
Difference difference_as(std::span<const std::byte> expected, std::span<const std::byte> actual) {
  Difference total;
  for (std::size_t i = 0; i < expected.size() / sizeof(Number); ++i) {
    Number e{};
    Number a{};
    std::memcpy(&e, expected.data() + i * sizeof(Number), sizeof(Number));
    std::memcpy(&a, actual.data() + i * sizeof(Number), sizeof(Number));
    if (std::memcmp(expected.data() + i * sizeof(Number), actual.data() + i * sizeof(Number),
                    sizeof(Number)) != 0) {
      ++total.unequal;
    }
    accumulate(total, i, e, a);
  }
  return total;
}

template <class Number>
bool has_nan(std::span<const std::byte> bytes) {
  bool found = false;
  for (std::size_t i = 0; i < bytes.size() / sizeof(Number); ++i) {
    Number number{};
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    found |= number != number;
  }
  return found;
}

bool has_nan(ScalarType type, std::span<const std::byte> bytes) {
  if (type == ScalarType::float32) return has_nan<float>(bytes);
  return type == ScalarType::float64 && has_nan<double>(bytes);
}

Difference difference(ScalarType type, std::span<const std::byte> expected,
                      std::span<const std::byte> actual) {
  // Large arrays are often equal, and then there is nothing to look for.
  const bool equal = actual.empty() || std::memcmp(expected.data(), actual.data(), actual.size()) == 0;
  if (equal && !has_nan(type, actual)) return {};
  switch (type) {
    case ScalarType::int32:
      return difference_as<std::int32_t>(expected, actual);
    case ScalarType::int64:
      return difference_as<std::int64_t>(expected, actual);
    case ScalarType::uint32:
      return difference_as<std::uint32_t>(expected, actual);
    case ScalarType::float32:
      return difference_as<float>(expected, actual);
    case ScalarType::float64:
      return difference_as<double>(expected, actual);
  }
  throw std::logic_error("array without a type");
}

double error_of(const Difference& found, Comparison::Norm norm) {
  if (found.not_finite > 0) return std::numeric_limits<double>::infinity();
  switch (norm) {
    case Comparison::Norm::relative_l2:
      return std::sqrt(found.squared / (found.expected_squared > 0 ? found.expected_squared : 1));
    case Comparison::Norm::max_abs:
      return found.worst_absolute;
    case Comparison::Norm::max_rel:
      return found.worst_relative;
    case Comparison::Norm::exact:
      return static_cast<double>(found.unequal);
    case Comparison::Norm::range:
      break;
  }
  throw std::logic_error("comparison without a norm");
}

template <class Number>
double bound(double value) {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  if (std::is_same_v<Number, float> && std::abs(value) <= kLargest)
    return static_cast<double>(static_cast<float>(value));
  return value;
}

template <class Number>
Verification range_as(std::span<const std::byte> actual, const ResolvedComparison& range) {
  // A bound is a value that an element can have.
  const double low = bound<Number>(range.low);
  const double high = bound<Number>(range.high);
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  double outside = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < actual.size() / sizeof(Number); ++i) {
    Number number{};
    std::memcpy(&number, actual.data() + i * sizeof number, sizeof number);
    const auto value = static_cast<double>(number);
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    double distance = std::max({low - value, value - high, 0.0});
    if (!std::isfinite(value) && !(value >= low && value <= high))
      distance = std::numeric_limits<double>::infinity();
    if (distance <= outside) continue;
    outside = distance;
    worst = i;
  }
  Verification result;
  result.error = outside;
  result.passed = outside == 0;
  result.detail = fmt::format("{} to {}", least, greatest);
  if (!result.passed)
    result.detail += fmt::format(", worst at element {}; expected {} to {}", worst, range.low, range.high);
  return result;
}

Verification compare_with_range(ScalarType type, std::span<const std::byte> actual,
                                const ResolvedComparison& range) {
  switch (type) {
    case ScalarType::int32:
      return range_as<std::int32_t>(actual, range);
    case ScalarType::int64:
      return range_as<std::int64_t>(actual, range);
    case ScalarType::uint32:
      return range_as<std::uint32_t>(actual, range);
    case ScalarType::float32:
      return range_as<float>(actual, range);
    case ScalarType::float64:
      return range_as<double>(actual, range);
  }
  throw std::logic_error("array without a type");
}

}  // namespace

std::string_view to_string(Comparison::Norm norm) {
  switch (norm) {
    case Comparison::Norm::relative_l2:
      return "relative_l2";
    case Comparison::Norm::max_abs:
      return "max_abs";
    case Comparison::Norm::max_rel:
      return "max_rel";
    case Comparison::Norm::exact:
      return "exact";
    case Comparison::Norm::range:
      return "range";
  }
  throw std::logic_error("norm without a name");
}

std::optional<ResolvedComparison> resolve(const Comparison& comparison, const Values& scope) {
  const auto evaluate = [&](const char* what, const Expression& expression, auto how) {
    try {
      return (expression.*how)(scope);
    } catch (const ExpressionError& error) {
      throw Failure(Outcome::wrong_result,
                    fmt::format("{} of a comparison '{}': {}", what, expression.text(), error.what()));
    }
  };
  if (comparison.when && !evaluate("condition", *comparison.when, &Expression::evaluate_bool))
    return std::nullopt;
  const double tolerance = evaluate("tolerance", comparison.tolerance, &Expression::evaluate_double);
  return ResolvedComparison{comparison.norm, tolerance, comparison.low, comparison.high};
}

Verification compare(ScalarType type, std::span<const std::byte> expected, std::span<const std::byte> actual,
                     const ResolvedComparison& comparison) {
  if (comparison.norm == Comparison::Norm::range) {
    Verification result = compare_with_range(type, actual, comparison);
    result.norm = to_string(comparison.norm);
    return result;
  }
  if (expected.size() != actual.size()) throw std::invalid_argument("comparison of arrays of unequal size");
  const Difference found = difference(type, expected, actual);
  Verification result;
  result.norm = to_string(comparison.norm);
  result.tolerance = comparison.tolerance;
  result.error = error_of(found, comparison.norm);
  result.passed = result.error <= comparison.tolerance;
  if (found.not_finite > 0) result.detail = fmt::format("{} values are NaN or infinite; ", found.not_finite);
  if (!result.passed) {
    result.detail += fmt::format("worst at element {}: {} instead of {}", found.worst_index,
                                 found.worst_actual, found.worst_expected);
  }
  return result;
}

}  // namespace tailwave
