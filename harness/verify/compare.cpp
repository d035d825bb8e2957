#include "verify/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/outcome.h"
#include "core/parallel.h"
#include "verify/survey.h"
#include "verify/verdict.h"

namespace tailwave {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kRunElements = 1024;  // of both arrays they stay in the first cache
constexpr std::size_t kBytesAThread = std::size_t{1} << 20;

// At `count` elements, a multiple of kLanes and not none.
template <DifferenceNorm norm, class T>
Glance<norm, T, 1> glance_at(const DifferenceRule& rule, const std::byte* expected, const std::byte* actual,
                             std::size_t count) {
  std::array<T, kLanes> e, a;
  Glance<norm, T, kLanes> glance;
  std::memcpy(a.data(), actual, sizeof a);
  glance.begin(a.data());
  for (std::size_t i = 0; i < count; i += kLanes) {
    std::memcpy(e.data(), expected + i * sizeof(T), sizeof e);
    std::memcpy(a.data(), actual + i * sizeof(T), sizeof a);
    glance.add(rule, e.data(), a.data());
  }
  return glance.folded();
}

// Of the runs first..last-1 of arrays of `count` elements; the last run of all may be shorter.
template <DifferenceNorm norm, class T>
ArrayDifference difference_in(const DifferenceRule& rule, const std::byte* expected, const std::byte* actual,
                              std::size_t count, std::size_t first, std::size_t last) {
  const ArrayPair arrays{expected, actual};
  ArrayDifference found;
  Survey<norm, T> survey;
  const std::size_t end = std::min(count, last * kRunElements);
  const std::size_t end_of_lanes = end / kLanes * kLanes;
  for (std::size_t run = first; run < last; ++run) {
    const std::size_t begin = run * kRunElements;
    const std::size_t run_end = std::min(begin + kRunElements, end_of_lanes);
    if (run_end <= begin) break;
    const std::byte* const e = expected + begin * sizeof(T);
    const std::byte* const a = actual + begin * sizeof(T);
    if (kSameBytesAreEqual<norm, T> && std::memcmp(e, a, (run_end - begin) * sizeof(T)) == 0) continue;
    const auto glance = glance_at<norm, T>(rule, e, a, run_end - begin);
    if (!survey.take(rule, glance, run)) accumulate_elements<norm, T>(found, rule, arrays, begin, run_end);
  }
  accumulate_elements<norm, T>(found, rule, arrays, end_of_lanes, end);
  survey.finish(found, rule, arrays, kRunElements, end_of_lanes);
  return found;
}

std::size_t threads_for(std::size_t bytes) {
  return std::clamp<std::size_t>(bytes / kBytesAThread, 1, hardware_threads());
}

}  // namespace

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
  const double low = comparison.norm == Comparison::Norm::close
                         ? evaluate("absolute part", comparison.absolute, &Expression::evaluate_double)
                         : comparison.low;
  return ResolvedComparison{comparison.norm, tolerance, low, comparison.high};
}

Verification compare(ScalarType type, std::span<const std::byte> expected, std::span<const std::byte> actual,
                     const ResolvedComparison& comparison, std::size_t threads) {
  // A range asks nothing of `expected`, which may then be of any size.
  if (comparison.norm == Comparison::Norm::range) expected = actual;
  if (expected.size() != actual.size()) throw std::invalid_argument("comparison of arrays of unequal size");
  const std::size_t count = actual.size() / size_bytes(type);
  const std::size_t runs = (count + kRunElements - 1) / kRunElements;
  const std::size_t shares = std::clamp<std::size_t>(threads == 0 ? threads_for(actual.size()) : threads, 1,
                                                     std::max<std::size_t>(runs, 1));
  const DifferenceRule rule = difference_rule(type, comparison);
  std::vector<ArrayDifference> parts(shares);
  visit_comparison(comparison.norm, type, [&]<DifferenceNorm norm, class T>() {
    for_each_at_once(shares, [&](std::size_t i) {
      parts[i] = difference_in<norm, T>(rule, expected.data(), actual.data(), count, runs * i / shares,
                                        runs * (i + 1) / shares);
    });
  });
  for (std::size_t i = 1; i < shares; ++i) merge(parts[0], parts[i]);
  return verdict(type, count, parts[0], comparison);
}

}  // namespace tailwave
