#include "verify/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/outcome.h"

namespace tailwave {
namespace {

// "3 of 8 values are NaN (never written?), 1 infinite"; empty when all are as finite as they should be.
std::string not_finite_text(const ArrayDifference& found, std::size_t of) {
  std::string text;
  const auto say = [&](unsigned long long count, const std::string& what) {
    if (count == 0) return;
    text += text.empty() ? fmt::format("{} of {} values are {}", count, of, what)
                         : fmt::format(", {} {}", count, what);
  };
  std::string doubt;
  if (found.unwritten > 0)
    doubt = found.unwritten == found.nan ? " (never written?)"
                                         : fmt::format(" ({} never written?)", found.unwritten);
  say(found.nan, "NaN" + doubt);
  say(found.infinite, "infinite");
  say(found.should_not_be_finite, "finite where the reference is not");
  return text;
}

bool all_finite(const ArrayDifference& found) {
  return found.nan + found.infinite + found.should_not_be_finite == 0;
}

template <class T>
std::string number_text(T value) {
  if constexpr (kIsFloating<T>) return fmt::format("{}", static_cast<double>(value));
  return std::to_string(value);
}

std::string element_text(ScalarType type, unsigned long long bits) {
  return visit_scalar(type, [&](auto number) { return number_text(element_of<decltype(number)>(bits)); });
}

// " element 2: 6 instead of 4"
std::string place_text(ScalarType type, const NotedElement& element) {
  return fmt::format(" element {}: {} instead of {}", element.index, element_text(type, element.actual),
                     element_text(type, element.expected));
}

bool first_is_another(const ArrayDifference& found) {
  return found.first.index != kNowhere && found.first.index != found.worst.index;
}

std::string key_text(ScalarType type, unsigned long long key) {
  return visit_scalar(type, [&](auto number) { return number_text(value_of_key<decltype(number)>(key)); });
}

bool counts(Comparison::Norm norm) {
  return norm == Comparison::Norm::exact || norm == Comparison::Norm::differing;
}

double error_of(const ArrayDifference& found, Comparison::Norm norm, std::size_t count) {
  if (!all_finite(found)) return std::numeric_limits<double>::infinity();
  if (norm == Comparison::Norm::relative_l2) return relative_norm(found.squares, found.expected_squares);
  if (norm == Comparison::Norm::exact) return static_cast<double>(found.unequal);
  if (norm == Comparison::Norm::differing)
    return count == 0 ? 0 : static_cast<double>(found.unequal) / static_cast<double>(count);
  return found.worst.index == kNowhere ? 0 : found.worst.amount;
}

std::string range_detail(ScalarType type, std::size_t count, const ArrayDifference& found,
                         const ResolvedComparison& range) {
  const std::string expected = fmt::format("; expected {} to {}", range.low, range.high);
  if (!all_finite(found))
    return fmt::format("{}; the first is element {}{}", not_finite_text(found, count),
                       found.first_not_finite.index, expected);
  if (count == 0) return "no elements";
  std::string text = key_text(type, found.least) + " to " + key_text(type, found.greatest);
  if (found.worst.index == kNowhere) return text;
  text += fmt::format(", worst at element {}", found.worst.index);
  if (first_is_another(found))
    text += fmt::format(", the first is element {}: {}", found.first.index,
                        element_text(type, found.first.actual));
  return text + expected;
}

// Of the last place: how far the next larger number is, or where there is none the next smaller one.
template <class T>
double unit_of(T value) {
  if constexpr (kIsSmallFloat<T>) {
    const unsigned size = value.bits & T::kNan;
    const unsigned low = size < T::kLargest ? size : size - 1;
    return static_cast<double>(element_of<T>(low + 1)) - static_cast<double>(element_of<T>(low));
  } else {
    const T size = std::abs(value);
    return static_cast<double>(std::nextafter(size, std::numeric_limits<T>::max())) - size;
  }
}

template <class T>
std::string units_text(T expected, T actual, ScalarType type, const ResolvedComparison& comparison) {
  constexpr double kMostByRounding = 1024;
  const double unit = unit_of(expected);
  double precision = 2 * rounding_unit(type);
  if (comparison.norm == Comparison::Norm::max_abs) precision = unit;
  if (comparison.norm == Comparison::Norm::relative_l2) precision = rounding_unit(type);
  const double units = std::ceil(distance_between(expected, actual) / unit);
  if (comparison.tolerance >= precision || !(units <= kMostByRounding)) return "";
  return fmt::format("; {:.0f} unit{} in the last place: {}{}", units, units == 1 ? "" : "s", kBelowPrecision,
                     to_string(type));
}

// "; 3 units in the last place: the tolerance is below the precision of float32": of an element that is off by what
// rounding may do, where the tolerance lets less than that pass; else "".
std::string precision_text(ScalarType type, const NotedElement& worst, const ResolvedComparison& comparison) {
  using Norm = Comparison::Norm;
  const bool tells = comparison.norm == Norm::relative_l2 || comparison.norm == Norm::max_abs ||
                     comparison.norm == Norm::max_rel;
  if (!tells) return "";
  return visit_scalar(type, [&](auto number) -> std::string {
    using T = decltype(number);
    if constexpr (kIsFloating<T>)
      return units_text(element_of<T>(worst.expected), element_of<T>(worst.actual), type, comparison);
    return "";
  });
}

std::string failure_detail(ScalarType type, std::size_t count, const ArrayDifference& found,
                           const ResolvedComparison& comparison) {
  const Comparison::Norm norm = comparison.norm;
  if (!all_finite(found))
    return not_finite_text(found, count) + "; the first is" + place_text(type, found.first_not_finite);
  if (found.worst.index == kNowhere) return "";
  std::string text;
  if (counts(norm)) text = fmt::format("{} of {} elements differ; ", found.unequal, count);
  text += "worst at" + place_text(type, found.worst);
  if (first_is_another(found)) text += "; the first is" + place_text(type, found.first);
  return text + precision_text(type, found.worst, comparison);
}

}  // namespace

DifferenceRule difference_rule(ScalarType type, const ResolvedComparison& comparison) {
  const auto bound = [&](double value) {
    if (!is_real(type) || std::abs(value) > largest(type)) return value;
    return visit_scalar(
        type, [&](auto number) { return static_cast<double>(static_cast<decltype(number)>(value)); });
  };
  const auto norm =
      visit_comparison(comparison.norm, type, []<DifferenceNorm constant, class>() { return constant; });
  if (comparison.norm != Comparison::Norm::range)
    return {norm, comparison.tolerance, comparison.low, comparison.high};
  return {norm, comparison.tolerance, bound(comparison.low), bound(comparison.high)};
}

Verification verdict(ScalarType type, std::size_t count, const ArrayDifference& found,
                     const ResolvedComparison& comparison) {
  Verification result;
  result.norm = to_string(comparison.norm);
  result.error = error_of(found, comparison.norm, count);
  if (comparison.norm == Comparison::Norm::range) {
    result.passed = result.error == 0;
    result.detail = range_detail(type, count, found, comparison);
    return result;
  }
  result.tolerance = comparison.norm == Comparison::Norm::close ? 1 : comparison.tolerance;
  result.passed = result.error <= result.tolerance;
  if (!result.passed) result.detail = failure_detail(type, count, found, comparison);
  return result;
}

}  // namespace tailwave
