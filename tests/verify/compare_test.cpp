#include "verify/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/outcome.h"

namespace tailwave {
namespace {

Verification compare_floats(std::vector<float> expected, std::vector<float> actual, Comparison::Norm norm,
                            double tolerance) {
  return compare(ScalarType::float32, std::as_bytes(std::span(expected)), std::as_bytes(std::span(actual)),
                 {norm, tolerance});
}

TEST(Compare, ComputesTheRelativeL2Norm) {
  const Verification result = compare_floats({3, 4}, {3, 4.5}, Comparison::Norm::relative_l2, 0.2);
  EXPECT_DOUBLE_EQ(result.error, 0.1);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.detail, "");
}

TEST(Compare, NamesTheWorstElementOfAFailure) {
  const Verification result = compare_floats({1, 2, 4}, {1, 2.5, 6}, Comparison::Norm::max_abs, 1);
  EXPECT_DOUBLE_EQ(result.error, 2);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.detail, "worst at element 2: 6 instead of 4");
}

TEST(Compare, SaysWhereAToleranceIsLessThanItsTypeCanHold) {
  constexpr float kUnit = 0x1p-23F;
  using enum Comparison::Norm;
  for (const auto norm : {max_abs, max_rel, relative_l2}) {
    const auto detail = [&](float actual, double tolerance) {
      return compare_floats({1, 1}, {1, actual}, norm, tolerance).detail;
    };
    EXPECT_EQ(
        detail(1 + kUnit, 1e-12),
        "worst at element 1: 1.0000001192092896 instead of 1; 1 unit in the last place: the tolerance is below "
        "the precision of float32");
    EXPECT_THAT(detail(1 - 3 * kUnit, 0), testing::HasSubstr("; 3 units in the last place: "));
    EXPECT_EQ(detail(1.5F, 1e-12), "worst at element 1: 1.5 instead of 1");
    EXPECT_THAT(detail(1 + 40 * kUnit, 1e-6), testing::Not(testing::HasSubstr("unit")));
  }
  EXPECT_THAT(compare_floats({1}, {1 + kUnit}, exact, 0).detail, testing::Not(testing::HasSubstr("unit")));
  const double expected = 1e-3, actual = std::nextafter(expected, 1);
  const auto bytes = [](const double& one) { return std::as_bytes(std::span(&one, 1)); };
  EXPECT_THAT(
      compare(ScalarType::float64, bytes(expected), bytes(actual), {max_rel, 1e-20}).detail,
      testing::HasSubstr("; 1 unit in the last place: the tolerance is below the precision of float64"));
}

TEST(Compare, FindsTheOneElementThatDiffersWhereverItIs) {
  for (const std::size_t count : {1, 7, 8, 9, 24, 31}) {
    for (std::size_t at = 0; at < count; ++at) {
      const std::vector<float> expected(count, 2);
      std::vector<float> actual = expected;
      actual[at] = 5;
      for (const double tolerance : {2.9, 3.0}) {
        const Verification result = compare_floats(expected, actual, Comparison::Norm::max_abs, tolerance);
        EXPECT_DOUBLE_EQ(result.error, 3) << at << " of " << count;
        EXPECT_EQ(result.passed, tolerance == 3) << at << " of " << count;
      }
      const double l2 = compare_floats(expected, actual, Comparison::Norm::relative_l2, 10).error;
      EXPECT_NEAR(l2, 3 / std::sqrt(4.0 * static_cast<double>(count)), 1e-12) << at << " of " << count;
    }
  }
}

TEST(Compare, TakesZeroExpectationsAbsolutelyInTheRelativeNorm) {
  EXPECT_DOUBLE_EQ(compare_floats({0, 8}, {0.5, 4}, Comparison::Norm::max_rel, 1).error, 0.5);
  EXPECT_DOUBLE_EQ(compare_floats({0, 0}, {3, 4}, Comparison::Norm::relative_l2, 1).error, 5);
}

TEST(Compare, FailsOnNaNWhateverTheTolerance) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Verification result = compare_floats({1, 2}, {1, nan}, Comparison::Norm::relative_l2, 1e30);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.detail, "1 of 2 values are NaN; the first is element 1: nan instead of 2");
}

TEST(Compare, SuspectsThatANaNWithTheBytesOfAPoisonedBufferWasNeverWritten) {
  const auto poison = std::bit_cast<float>(0xFFFFFFFFU);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto detail = [](const std::vector<float>& actual) {
    return compare_floats({1, 2, 3}, actual, Comparison::Norm::exact, 0).detail;
  };
  EXPECT_EQ(detail({1, poison, poison}),
            "2 of 3 values are NaN (never written?); the first is element 1: -nan instead of 2");
  EXPECT_EQ(detail({nan, poison, 3}),
            "2 of 3 values are NaN (1 never written?); the first is element 0: nan instead of 1");
}

TEST(Compare, TellsInfinitiesFromNaNs) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compare_floats({1, 2, 3, infinity}, {1, infinity, nan, 4}, Comparison::Norm::max_abs, 1).detail,
            "1 of 4 values are NaN, 1 infinite, 1 finite where the reference is not; the first is element 1: "
            "inf instead of 2");
}

TEST(Compare, LetsNothingPassWhereTheReferenceIsNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(compare_floats({1, nan}, {1, 5}, Comparison::Norm::max_abs, 1e30).passed);
  EXPECT_FALSE(compare_floats({1, nan}, {1, nan}, Comparison::Norm::max_rel, 1e30).passed);
}

TEST(Compare, LetsAnInfinityAgreeWithItself) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare_floats({1, infinity}, {1, infinity}, Comparison::Norm::max_abs, 0).passed);
  EXPECT_FALSE(compare_floats({1, infinity}, {1, -infinity}, Comparison::Norm::max_abs, 1e30).passed);
}

TEST(Compare, CountsUnequalElementsForExact) {
  const Verification result = compare_floats({1, 2, 3}, {1, 0, 0}, Comparison::Norm::exact, 0);
  EXPECT_DOUBLE_EQ(result.error, 2);
  EXPECT_EQ(
      result.detail,
      "2 of 3 elements differ; worst at element 2: 0 instead of 3; the first is element 1: 0 instead of 2");
}

TEST(Compare, RefusesArraysOfUnequalSize) {
  EXPECT_THROW(compare_floats({1}, {1, 2}, Comparison::Norm::exact, 0), std::invalid_argument);
}

TEST(Compare, AsksOfARangeOnlyThatAllElementsAreInIt) {
  const std::vector<double> expected{9, 9, 9};
  const auto in_range = [&](const std::vector<double>& actual) {
    return compare(ScalarType::float64, std::as_bytes(std::span(expected)), std::as_bytes(std::span(actual)),
                   {.norm = Comparison::Norm::range, .low = 0.5, .high = 2});
  };
  const Verification good = in_range({0.5, 1, 2});
  EXPECT_TRUE(good.passed);
  EXPECT_EQ(good.norm, "range");
  EXPECT_EQ(good.error, 0);
  EXPECT_EQ(good.detail, "0.5 to 2");
  const Verification bad = in_range({0.25, 1, 3});
  EXPECT_FALSE(bad.passed);
  EXPECT_EQ(bad.error, 1);
  EXPECT_EQ(bad.detail, "0.25 to 3, worst at element 2, the first is element 0: 0.25; expected 0.5 to 2");
  const Verification broken = in_range({1, std::numeric_limits<double>::quiet_NaN(), 1});
  EXPECT_FALSE(broken.passed);
  EXPECT_EQ(broken.detail, "1 of 3 values are NaN; the first is element 1; expected 0.5 to 2");
}

TEST(Compare, TakesTheBoundsOfARangeAsTheBufferHasThem) {
  const std::vector<float> actual{0.1F};
  EXPECT_TRUE(compare(ScalarType::float32, std::as_bytes(std::span(actual)), std::as_bytes(std::span(actual)),
                      {.norm = Comparison::Norm::range, .low = 0, .high = 0.1})
                  .passed);
}

TEST(Compare, RefusesAnInfinityBeyondABoundThatTheTypeCannotHave) {
  const std::vector<float> actual{std::numeric_limits<float>::infinity()};
  EXPECT_FALSE(compare(ScalarType::float32, std::as_bytes(std::span(actual)),
                       std::as_bytes(std::span(actual)),
                       {.norm = Comparison::Norm::range, .low = 0, .high = 1e39})
                   .passed);
}

TEST(Compare, ResolvesConditionAndToleranceForTheConfiguration) {
  Comparison comparison{.norm = Comparison::Norm::max_abs,
                        .tolerance = Expression::parse("1e-3 if FAST else N")};
  comparison.when = Expression::parse("N // 2 > 1");
  EXPECT_EQ(resolve(comparison, {{"FAST", true}, {"N", std::int64_t{4}}})->tolerance, 1e-3);
  EXPECT_EQ(resolve(comparison, {{"FAST", true}, {"N", std::int64_t{2}}}), std::nullopt);
  const auto failure_of = [&](const Values& scope) -> std::string {
    try {
      (void)resolve(comparison, scope);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.outcome(), Outcome::wrong_result);
      return failure.what();
    }
    return "";
  };
  EXPECT_EQ(failure_of({{"N", std::string("x")}}).substr(0, 42),
            "condition of a comparison 'N // 2 > 1': '/");
  comparison.when.reset();
  EXPECT_THAT(failure_of({{"FAST", false}, {"N", std::string("x")}}),
              testing::StartsWith("tolerance of a comparison '1e-3 if FAST else N': "));
}

}  // namespace
}  // namespace tailwave
