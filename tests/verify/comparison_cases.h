#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "spec/system.h"
#include "verify/compare.h"

namespace tailwave::fakes {

// Two arrays and how to compare them: what every way to do so has to agree on.
struct ComparisonCase {
  std::string name;
  ScalarType type = ScalarType::float32;
  ResolvedComparison comparison;
  std::vector<std::byte> expected, actual;
};

inline constexpr std::array kAllNorms{Comparison::Norm::relative_l2, Comparison::Norm::max_abs,
                                      Comparison::Norm::max_rel,     Comparison::Norm::exact,
                                      Comparison::Norm::range,       Comparison::Norm::ulp,
                                      Comparison::Norm::close,       Comparison::Norm::differing};
inline constexpr std::array kAllTypes{ScalarType::int32,       ScalarType::int64,      ScalarType::uint32,
                                      ScalarType::float32,     ScalarType::float64,    ScalarType::int8,
                                      ScalarType::uint8,       ScalarType::int16,      ScalarType::uint16,
                                      ScalarType::uint64,      ScalarType::float16,    ScalarType::bfloat16,
                                      ScalarType::float8_e4m3, ScalarType::float8_e5m2};

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <class T>
T random_element(std::mt19937_64& random) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<double>(random()) * 0x1p-62 - 2);
  else if constexpr (kIsSmallFloat<T>)
    return T(static_cast<double>(random()) * 0x1p-62 - 2);
  else
    return static_cast<T>(random());
}

// `changed` of the elements get another random value, the lowest and the highest index among them.
template <class T>
ComparisonCase random_case(ScalarType type, Comparison::Norm norm, std::size_t count, std::size_t changed) {
  std::mt19937_64 random(count * 31 + changed);
  std::vector<T> expected(count);
  for (T& element : expected) element = random_element<T>(random);
  std::vector<T> actual = expected;
  for (std::size_t i = 0; i < changed; ++i) {
    const std::size_t at = i == 0 ? count - 1 : i == 1 ? 0 : random() % count;
    actual[at] = random_element<T>(random);
  }
  ComparisonCase made;
  made.name = std::to_string(static_cast<int>(type)) + " " + std::string(to_string(norm)) + " " +
              std::to_string(count) + " " + std::to_string(changed);
  made.type = type;
  made.comparison = {norm, norm == Comparison::Norm::relative_l2 ? 0 : 0.5, -1, 100};
  if (norm == Comparison::Norm::close) made.comparison.low = 0.25;
  made.expected = bytes_of(expected);
  made.actual = bytes_of(actual);
  return made;
}

// Every type and norm with random arrays of the given sizes: equal, with one element changed, with a third. Only each
// `every`-th of these cases.
inline std::vector<ComparisonCase> random_cases(const std::vector<std::size_t>& counts,
                                                std::size_t every = 1) {
  std::vector<ComparisonCase> cases;
  std::size_t number = 0;
  for (const ScalarType type : kAllTypes) {
    for (const Comparison::Norm norm : kAllNorms) {
      for (const std::size_t count : counts) {
        for (const std::size_t changed : {std::size_t{0}, std::size_t{1}, count / 3}) {
          if (number++ % every != 0) continue;
          cases.push_back(visit_scalar(type, [&](auto element) {
            return random_case<decltype(element)>(type, norm, count, changed);
          }));
        }
      }
    }
  }
  return cases;
}

// What a case has to report. The error is compared to twelve digits, the text letter by letter.
struct ExpectedReport {
  ComparisonCase arrays;
  double error = 0;
  bool passed = false;
  std::string detail;
};

template <class T>
ExpectedReport report_of(std::string name, ScalarType type, ResolvedComparison comparison,
                         const std::vector<T>& expected, const std::vector<T>& actual, double error,
                         bool passed, std::string detail) {
  return {{std::move(name), type, comparison, bytes_of(expected), bytes_of(actual)},
          error,
          passed,
          std::move(detail)};
}

// `count` twos, some of them replaced.
template <class T>
std::vector<T> twos_but(std::size_t count, const std::vector<std::pair<std::size_t, T>>& others) {
  std::vector<T> values(count, T{2});
  for (const auto& [index, value] : others) values.at(index) = value;
  return values;
}

inline std::vector<ExpectedReport> float_reports() {
  using Norm = Comparison::Norm;
  constexpr auto kFloat = ScalarType::float32;
  constexpr auto kDouble = ScalarType::float64;
  constexpr std::size_t kMany = 100003;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto infinity = static_cast<float>(kInfinity);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto poison = std::bit_cast<float>(0xFFFFFFFFU);
  const auto twos = twos_but<float>(kMany, {});
  const auto tiny = [](std::size_t count, double value) { return std::vector<double>(count, value); };
  return {
      report_of<float>("one of many", kFloat, {Norm::max_abs, 1}, twos,
                       twos_but<float>(kMany, {{70001, 5.F}}), 3, false,
                       "worst at element 70001: 5 instead of 2"),
      report_of<float>("a tie", kFloat, {Norm::max_abs, 1}, twos,
                       twos_but<float>(kMany, {{99999, 5.F}, {777, -1.F}, {778, 5.F}}), 3, false,
                       "worst at element 777: -1 instead of 2"),
      report_of<float>("a first that is not the worst", kFloat, {Norm::max_abs, 1}, twos,
                       twos_but<float>(kMany, {{3, 2.5F}, {4, 3.5F}, {5, 3.25F}, {90000, 9.F}}), 7, false,
                       "worst at element 90000: 9 instead of 2; the first is element 4: 3.5 instead of 2"),
      report_of<float>("worst by the norm's own measure", kFloat, {Norm::max_rel, 0.1}, {100, 1}, {110.5F, 2},
                       1, false,
                       "worst at element 1: 2 instead of 1; the first is element 0: 110.5 instead of 100"),
      report_of<float>(
          "never written", kFloat, {Norm::relative_l2, 1}, twos, std::vector<float>(kMany, poison), kInfinity,
          false,
          "100003 of 100003 values are NaN (never written?); the first is element 0: -nan instead of 2"),
      report_of<float>(
          "not finite, and wrong before", kFloat, {Norm::max_abs, 1}, twos,
          twos_but<float>(kMany, {{1, 99.F}, {500, nan}, {400, infinity}, {600, poison}}), kInfinity, false,
          "2 of 100003 values are NaN (1 never written?), 1 infinite; the first is element 400: inf "
          "instead of 2"),
      report_of<float>("infinities agree", kFloat, {Norm::relative_l2, 0},
                       twos_but<float>(kMany, {{9, infinity}}), twos_but<float>(kMany, {{9, infinity}}), 0,
                       true, ""),
      report_of<float>("the two zeros", kFloat, {Norm::exact, 0}, {1, 0.F, 3}, {1, -0.F, 3}, 1, false,
                       "1 of 3 elements differ; worst at element 1: -0 instead of 0"),
      report_of<double>("tiny and all 0", kDouble, {Norm::relative_l2, 0.5}, tiny(kMany, 1e-170),
                        tiny(kMany, 0), 1, false, "worst at element 0: 0 instead of 1e-170"),
      report_of<double>("tiny and equal", kDouble, {Norm::relative_l2, 0.5}, tiny(kMany, 1e-170),
                        tiny(kMany, 1e-170), 0, true, ""),
      report_of<double>("tiny and nearly equal", kDouble, {Norm::relative_l2, 0.5}, tiny(kMany, 1e-170),
                        tiny(kMany, 1.25e-170), 0.25, true, ""),
      report_of<double>("huge", kDouble, {Norm::relative_l2, 0.5}, tiny(kMany, 1e300), tiny(kMany, 1.25e300),
                        0.25, true, ""),
      report_of<double>("huge instead of tiny", kDouble, {Norm::relative_l2, 0.5}, {1e-160, 0},
                        {1e-160, 1e145}, 1e305, false, "worst at element 1: 1e+145 instead of 0"),
      report_of<double>("huge among ordinary", kDouble, {Norm::relative_l2, 0.5}, {4e200, 1, 3e200},
                        {4e200, 1, 0}, 0.6, false, "worst at element 2: 0 instead of 3e+200"),
      report_of<double>("huge where 0 is expected", kDouble, {Norm::relative_l2, 0.5}, {0, 0}, {3e300, 4e300},
                        5e300, false, "worst at element 1: 4e+300 instead of 0"),
      report_of<float>("units in the last place", kFloat, {Norm::ulp, 4}, {1, 2, -1},
                       {1 + 3 * 0x1p-23F, 2 - 5 * 0x1p-23F, -1}, 5, false,
                       "worst at element 1: 1.9999994039535522 instead of 2"),
      report_of<float>("units around 0", kFloat, {Norm::ulp, 3}, {0, -0.F, 0x1p-149F}, {-0.F, 0, -0x1p-148F},
                       3, true, ""),
      report_of<double>("units of float64", kDouble, {Norm::ulp, 1}, {1, 1e300},
                        {1, std::nextafter(1e300, 0)}, 1, true, ""),
      report_of<Float16>("units of float16", ScalarType::float16, {Norm::ulp, 1},
                         {Float16(1.0), Float16(2.0)}, {Float16(1.0), Float16(2.0 - 0x1p-9)}, 2, false,
                         "worst at element 1: 1.998046875 instead of 2"),
      report_of<float>("units to a NaN", kFloat, {Norm::ulp, 1e30}, {1, 2}, {1, nan}, kInfinity, false,
                       "1 of 2 values are NaN; the first is element 1: nan instead of 2"),
      report_of<float>("close", kFloat, {.norm = Norm::close, .tolerance = 0.25, .low = 1}, {0, 4, 8},
                       {0.5F, 4, 5}, 1, true, ""),
      report_of<float>("not close", kFloat, {.norm = Norm::close, .tolerance = 0.25, .low = 1}, {0, 4, 8},
                       {2, 4, 2}, 2, false, "worst at element 0: 2 instead of 0"),
      report_of<float>("close where nothing is allowed", kFloat, {.norm = Norm::close, .tolerance = 0.25},
                       {0, 4}, {1, 5}, std::numeric_limits<double>::max(), false,
                       "worst at element 0: 1 instead of 0"),
      report_of<float>("few differ", kFloat, {Norm::differing, 1e-4}, twos,
                       twos_but<float>(kMany, {{3, 9.F}, {70001, 5.F}}), 2.0 / kMany, true, ""),
      report_of<float>(
          "too many differ", kFloat, {Norm::differing, 1e-5}, twos,
          twos_but<float>(kMany, {{3, 4.F}, {70001, 5.F}}), 2.0 / kMany, false,
          "2 of 100003 elements differ; worst at element 70001: 5 instead of 2; the first is element "
          "3: 4 instead of 2"),
      report_of<double>("range", kDouble, {.norm = Norm::range, .low = -1, .high = 2}, {9, 9, 9, 9},
                        {1, 4, -6, 7}, 5, false,
                        "-6 to 7, worst at element 2, the first is element 1: 4; expected -1 to 2"),
      report_of<float>("range with a NaN", kFloat, {.norm = Norm::range, .low = 0, .high = 2}, {9, 9},
                       {1, nan}, kInfinity, false,
                       "1 of 2 values are NaN; the first is element 1; expected 0 to 2"),
  };
}

inline std::vector<ExpectedReport> integer_reports() {
  using Norm = Comparison::Norm;
  constexpr auto kLong = ScalarType::int64;
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  using Longs = std::vector<std::int64_t>;
  const auto range_of = [](double low, double high) { return ResolvedComparison{Norm::range, 0, low, high}; };
  return {
      report_of<std::int64_t>("one of 2^60", kLong, {Norm::max_abs, 0.5}, {kLarge, kLarge},
                              {kLarge, kLarge + 1}, 1, false,
                              "worst at element 1: 1152921504606846977 instead of 1152921504606846976"),
      report_of<std::int64_t>("one of 2^60, exactly", kLong, {Norm::exact, 0}, {kLarge, kLarge},
                              {kLarge, kLarge - 1}, 1, false,
                              "1 of 2 elements differ; worst at element 1: 1152921504606846975 instead of "
                              "1152921504606846976"),
      report_of<std::int64_t>("from end to end", kLong, {Norm::max_abs, 1}, {kLeast, 0}, {kMost, 0}, 0x1p64,
                              false,
                              "worst at element 0: 9223372036854775807 instead of -9223372036854775808"),
      report_of<std::int64_t>("relative to the least", kLong, {Norm::max_rel, 0.25}, {kLeast}, {kLeast / 2},
                              0.5, false,
                              "worst at element 0: -4611686018427387904 instead of -9223372036854775808"),
      report_of<std::int64_t>("range, by one below", kLong, range_of(0x1p60, 0x1p61), Longs(2),
                              {kLarge, kLarge - 1}, 1, false,
                              "1152921504606846975 to 1152921504606846976, worst at element 1; expected "
                              "1.152921504606847e+18 to 2.305843009213694e+18"),
      report_of<std::int64_t>(
          "range, with fractions", kLong, range_of(-1.5, 1.5), Longs(3), {-1, -2, 3}, 1.5, false,
          "-2 to 3, worst at element 2, the first is element 1: -2; expected -1.5 to 1.5"),
      report_of<std::uint64_t>("range of all", ScalarType::uint64, range_of(0, 0x1p64),
                               std::vector<std::uint64_t>(2), {0, ~std::uint64_t{0}}, 0, true,
                               "0 to 18446744073709551615"),
      report_of<std::int64_t>("units of integers", kLong, {Norm::ulp, 1}, {kLarge, 5}, {kLarge + 2, 4}, 2,
                              false,
                              "worst at element 0: 1152921504606846978 instead of 1152921504606846976"),
      report_of<std::int32_t>("few integers differ", ScalarType::int32, {Norm::differing, 0.5}, {1, 2, 3, 4},
                              {1, 2, 3, 5}, 0.25, true, ""),
      report_of<std::int8_t>("bytes", ScalarType::int8, {Norm::max_abs, 200}, {-128, 5}, {127, 5}, 255, false,
                             "worst at element 0: 127 instead of -128"),
      report_of<std::uint8_t>("range of bytes", ScalarType::uint8, range_of(-1, 256),
                              std::vector<std::uint8_t>(2), {0, 255}, 0, true, "0 to 255"),
  };
}

inline std::vector<ExpectedReport> expected_reports() {
  std::vector<ExpectedReport> all = float_reports();
  for (ExpectedReport& report : integer_reports()) all.push_back(std::move(report));
  return all;
}

// Equal but for the last digits of a sum.
inline void expect_same(const Verification& found, const Verification& expected, const std::string& name) {
  EXPECT_EQ(found.norm, expected.norm) << name;
  EXPECT_EQ(found.tolerance, expected.tolerance) << name;
  EXPECT_EQ(found.passed, expected.passed) << name;
  EXPECT_EQ(found.detail, expected.detail) << name;
  if (found.error == expected.error) return;
  EXPECT_NEAR(found.error / expected.error, 1, 1e-12)
      << name << ": " << found.error << ", not " << expected.error;
}

// A way to compare: it gets all cases at once and answers in their order.
using CompareAll = std::function<std::vector<Verification>(const std::vector<ComparisonCase>&)>;

inline void expect_reports(const CompareAll& compare_all) {
  const std::vector<ExpectedReport> reports = expected_reports();
  std::vector<ComparisonCase> cases;
  for (const ExpectedReport& report : reports) cases.push_back(report.arrays);
  const std::vector<Verification> found = compare_all(cases);
  ASSERT_EQ(found.size(), reports.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    Verification expected;
    expected.norm = to_string(cases[i].comparison.norm);
    if (cases[i].comparison.norm != Comparison::Norm::range)
      expected.tolerance =
          cases[i].comparison.norm == Comparison::Norm::close ? 1 : cases[i].comparison.tolerance;
    expected.error = reports[i].error;
    expected.passed = reports[i].passed;
    expected.detail = reports[i].detail;
    expect_same(found[i], expected, cases[i].name);
  }
}

// As the host's way on one thread.
inline void expect_as_on_one_thread(const CompareAll& compare_all, const std::vector<ComparisonCase>& cases) {
  const std::vector<Verification> found = compare_all(cases);
  ASSERT_EQ(found.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ComparisonCase& arrays = cases[i];
    expect_same(found[i], compare(arrays.type, arrays.expected, arrays.actual, arrays.comparison, 1),
                arrays.name);
  }
}

}  // namespace tailwave::fakes
