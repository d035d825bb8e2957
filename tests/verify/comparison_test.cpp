// What every way to compare has to report, here of the host's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "verify/comparison_cases.h"
#include "verify/survey.h"
#include "verify/verdict.h"

namespace tailwave {
namespace {

using fakes::ComparisonCase;

std::vector<Verification> on_threads(const std::vector<ComparisonCase>& cases, std::size_t threads) {
  std::vector<Verification> found;
  for (const ComparisonCase& arrays : cases)
    found.push_back(compare(arrays.type, arrays.expected, arrays.actual, arrays.comparison, threads));
  return found;
}

// By the definition alone: without glances, element by element.
Verification by_definition(const ComparisonCase& arrays) {
  const DifferenceRule rule = difference_rule(arrays.type, arrays.comparison);
  ArrayDifference found;
  std::size_t count = 0;
  visit_comparison(arrays.comparison.norm, arrays.type, [&]<DifferenceNorm norm, class T>() {
    count = arrays.actual.size() / sizeof(T);
    const bool range = norm == DifferenceNorm::range;
    // From the last to the first: the order does not matter.
    for (std::size_t i = count; i-- > 0;) {
      ArrayDifference one;
      const auto actual = element_at<T>(arrays.actual.data(), i);
      accumulate<norm>(one, rule, i, range ? actual : element_at<T>(arrays.expected.data(), i), actual);
      merge(found, one);
    }
  });
  return verdict(arrays.type, count, found, arrays.comparison);
}

TEST(Comparison, ReportsWhatItShouldOnAnyNumberOfThreads) {
  for (const std::size_t threads : {0, 1, 2, 3, 8})
    fakes::expect_reports([&](const auto& cases) { return on_threads(cases, threads); });
}

TEST(Comparison, ReportsWhatTheDefinitionSays) {
  fakes::expect_reports([](const std::vector<ComparisonCase>& cases) {
    std::vector<Verification> found;
    for (const ComparisonCase& arrays : cases) found.push_back(by_definition(arrays));
    return found;
  });
}

TEST(Comparison, OfRandomArraysIsThatOfTheDefinition) {
  for (const ComparisonCase& arrays : fakes::random_cases({1, 7, 1000, 5003})) {
    const Verification expected = by_definition(arrays);
    for (const std::size_t threads : {1, 3})
      fakes::expect_same(on_threads({arrays}, threads)[0], expected, arrays.name);
  }
}

TEST(Comparison, OfLargeArraysIsTheSameOnSeveralThreads) {
  fakes::expect_as_on_one_thread([](const auto& cases) { return on_threads(cases, 3); },
                                 fakes::random_cases({(1 << 20) + 3}, 4));
}

TEST(Comparison, TakesArraysThatBeginAnywhere) {
  for (const ComparisonCase& arrays : fakes::random_cases({1000})) {
    std::vector<std::byte> expected(arrays.expected.size() + 1), actual(arrays.actual.size() + 1);
    std::memcpy(expected.data() + 1, arrays.expected.data(), arrays.expected.size());
    std::memcpy(actual.data() + 1, arrays.actual.data(), arrays.actual.size());
    fakes::expect_same(
        compare(arrays.type, std::span(expected).subspan(1), std::span(actual).subspan(1), arrays.comparison),
        compare(arrays.type, arrays.expected, arrays.actual, arrays.comparison), arrays.name);
  }
}

TEST(Comparison, OfNothingPasses) {
  for (const Comparison::Norm norm : fakes::kAllNorms) {
    const Verification result = compare(ScalarType::float64, {}, {}, {norm, 0});
    EXPECT_TRUE(result.passed);
    EXPECT_EQ(result.detail, norm == Comparison::Norm::range ? "no elements" : "");
  }
}

TEST(RelativeNorm, ScalesAsTheValuesDo) {
  constexpr double kStep = 0x1p40;
  for (double unit = 0x1p-1060; unit < 0x1p1020; unit *= kStep) {
    SquareSum squares, expected;
    add_square<double>(squares, 3 * unit);
    add_square<double>(expected, 4 * unit);
    EXPECT_NEAR(relative_norm(squares, expected), 0.75, 1e-15) << unit;
    EXPECT_NEAR(relative_norm(squares, {}) / unit, 3, 1e-12) << unit;
  }
}

}  // namespace
}  // namespace tailwave
