#include "measure/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/outcome.h"
#include "measure/inputs.h"

namespace tailwave {
namespace {

// Elements that are not finite although they should be, or the other way round.
struct NotFinite {
  std::size_t nan = 0, unwritten = 0;  // unwritten: those of the NaNs that a kernel may never have touched
  std::size_t infinite = 0, should_be = 0;

  template <class Number>
  void add(Number number) {
    if (std::isnan(static_cast<double>(number))) {
      ++nan;
      const auto bytes = std::bit_cast<std::array<std::byte, sizeof(Number)>>(number);
      if (std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == kPoison; }))
        ++unwritten;
    } else if (std::isinf(static_cast<double>(number))) {
      ++infinite;
    } else {
      ++should_be;
    }
  }
  [[nodiscard]] bool any() const { return nan + infinite + should_be > 0; }
  // "3 of 8 values are NaN (never written?), 1 infinite"
  [[nodiscard]] std::string text(std::size_t of) const {
    std::string text;
    const auto say = [&](std::size_t count, const std::string& what) {
      if (count == 0) return;
      text += text.empty() ? fmt::format("{} of {} values are {}", count, of, what)
                           : fmt::format(", {} {}", count, what);
    };
    std::string doubt;
    if (unwritten > 0)
      doubt = unwritten == nan ? " (never written?)" : fmt::format(" ({} never written?)", unwritten);
    say(nan, "NaN" + doubt);
    say(infinite, "infinite");
    say(should_be, "finite where the reference is not");
    return text;
  }
};

// What one pass over both arrays finds.
struct Difference {
  double squared = 0;           // sum of squared differences
  double expected_squared = 0;  // sum of squared expected values
  double worst_absolute = 0;
  double worst_relative = 0;
  NotFinite not_finite;
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
  if (broken) total.not_finite.add(actual);
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

// The sums and the greatest difference alone, several elements at a time. They are not finite when an element is not.
template <class Number>
class QuickSums {
 public:
  void add(std::span<const std::byte> expected, std::span<const std::byte> actual) {
    std::size_t at = 0;
    for (; at + sizeof(Lanes) <= expected.size(); at += sizeof(Lanes))
      add_lanes(expected.data() + at, actual.data() + at);
    Lanes last_expected{}, last_actual{};
    std::memcpy(last_expected.data(), expected.data() + at, expected.size() - at);
    std::memcpy(last_actual.data(), actual.data() + at, expected.size() - at);
    add_lanes(last_expected.data(), last_actual.data());
  }

  [[nodiscard]] Difference total() const {
    Difference total;
    total.squared = std::accumulate(squared_.begin(), squared_.end(), 0.0);
    total.expected_squared = std::accumulate(expected_squared_.begin(), expected_squared_.end(), 0.0);
    total.worst_absolute = *std::max_element(worst_.begin(), worst_.end());
    return total;
  }

 private:
  static constexpr std::size_t kLanes = 8;
  using Lanes = std::array<Number, kLanes>;

  void add_lanes(const void* expected, const void* actual) {
    Lanes e, a;
    std::memcpy(e.data(), expected, sizeof e);
    std::memcpy(a.data(), actual, sizeof a);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto reference = static_cast<double>(e[lane]);
      const double difference = std::abs(static_cast<double>(a[lane]) - reference);
      squared_[lane] += difference * difference;
      expected_squared_[lane] += reference * reference;
      worst_[lane] = std::max(worst_[lane], difference);
    }
  }

  std::array<double, kLanes> squared_{}, expected_squared_{}, worst_{};
};

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
  return visit_scalar(type, [&](auto number) {
    return std::is_floating_point_v<decltype(number)> && has_nan<decltype(number)>(bytes);
  });
}

Difference difference(ScalarType type, std::span<const std::byte> expected,
                      std::span<const std::byte> actual) {
  // Large arrays are often equal, and then there is nothing to look for.
  const bool equal = actual.empty() || std::memcmp(expected.data(), actual.data(), actual.size()) == 0;
  if (equal && !has_nan(type, actual)) return {};
  return visit_scalar(type, [&](auto number) { return difference_as<decltype(number)>(expected, actual); });
}

double error_of(const Difference& found, Comparison::Norm norm) {
  if (found.not_finite.any()) return std::numeric_limits<double>::infinity();
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

// Without the element that is to blame, for the norms whose sums are quick. Empty when there is more to look at.
std::optional<double> quick_error(ScalarType type, std::span<const std::byte> expected,
                                  std::span<const std::byte> actual, Comparison::Norm norm) {
  if (norm != Comparison::Norm::relative_l2 && norm != Comparison::Norm::max_abs) return std::nullopt;
  const Difference sums = visit_scalar(type, [&](auto number) {
    QuickSums<decltype(number)> quick;
    quick.add(expected, actual);
    return quick.total();
  });
  if (!std::isfinite(sums.squared) || !std::isfinite(sums.expected_squared)) return std::nullopt;
  return error_of(sums, norm);
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
  NotFinite not_finite;
  for (std::size_t i = 0; i < actual.size() / sizeof(Number); ++i) {
    Number number{};
    std::memcpy(&number, actual.data() + i * sizeof number, sizeof number);
    const auto value = static_cast<double>(number);
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    double distance = std::max({low - value, value - high, 0.0});
    if (!std::isfinite(value) && !(value >= low && value <= high)) {
      distance = std::numeric_limits<double>::infinity();
      not_finite.add(number);
    }
    if (distance <= outside) continue;
    outside = distance;
    worst = i;
  }
  Verification result;
  result.error = outside;
  result.passed = outside == 0;
  if (not_finite.any()) {
    result.detail =
        fmt::format("{}; the first is element {}; expected {} to {}",
                    not_finite.text(actual.size() / sizeof(Number)), worst, range.low, range.high);
    return result;
  }
  result.detail = fmt::format("{} to {}", least, greatest);
  if (!result.passed)
    result.detail += fmt::format(", worst at element {}; expected {} to {}", worst, range.low, range.high);
  return result;
}

Verification compare_with_range(ScalarType type, std::span<const std::byte> actual,
                                const ResolvedComparison& range) {
  return visit_scalar(type, [&](auto number) { return range_as<decltype(number)>(actual, range); });
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
  Verification result;
  result.norm = to_string(comparison.norm);
  result.tolerance = comparison.tolerance;
  if (const auto error = quick_error(type, expected, actual, comparison.norm);
      error && *error <= comparison.tolerance) {
    result.error = *error;
    result.passed = true;
    return result;
  }
  const Difference found = difference(type, expected, actual);
  result.error = error_of(found, comparison.norm);
  result.passed = result.error <= comparison.tolerance;
  if (result.passed) return result;
  const std::size_t count = actual.size() / size_bytes(type);
  if (found.not_finite.any()) {
    result.detail = found.not_finite.text(count) + "; the first is";
  } else if (comparison.norm == Comparison::Norm::exact) {
    result.detail = fmt::format("{} of {} elements differ; worst at", found.unequal, count);
  } else {
    result.detail = "worst at";
  }
  result.detail += fmt::format(" element {}: {} instead of {}", found.worst_index, found.worst_actual,
                               found.worst_expected);
  return result;
}

}  // namespace tailwave
