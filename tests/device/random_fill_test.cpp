#include "device/random_fill.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "core/normal_quantile.h"
#include "core/random.h"

namespace tailwave {
namespace {

template <class Number>
std::vector<Number> numbers_of(const RandomFill& fill, std::size_t count, std::size_t first = 0) {
  std::vector<Number> numbers(count);
  fill_randomly(fill, first, std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

RandomFill normal(ScalarType type, double mean, double deviation) {
  RandomFill fill{.type = type, .seed = 11, .draw = 4};
  fill.distribution = Distribution::normal;
  fill.mean = mean;
  fill.deviation = deviation;
  return fill;
}

RandomFill integers(ScalarType type, std::int64_t least, std::int64_t greatest) {
  RandomFill fill{.type = type, .seed = 11, .draw = 4};
  fill.distribution = Distribution::integers;
  fill.least = least;
  fill.greatest = greatest;
  return fill;
}

RandomFill permutation(ScalarType type, std::uint64_t count, std::uint64_t draw = 0) {
  RandomFill fill{.type = type, .seed = 11, .draw = draw};
  fill.distribution = Distribution::permutation;
  fill.count = count;
  return fill;
}

// By scipy.stats.norm.ppf, whose relative error is of the same order.
TEST(NormalQuantile, IsThatOfTables) {
  EXPECT_NEAR(standard_normal(0.5), 0, 1e-16);
  EXPECT_NEAR(standard_normal(0.975), 1.959963984540054, 1e-15);
  EXPECT_NEAR(standard_normal(0.1), -1.2815515655446004, 1e-15);
  EXPECT_NEAR(standard_normal(0.001), -3.090232306167813, 1e-14);
  EXPECT_NEAR(standard_normal(1e-10), -6.361340902404056, 1e-14);
  EXPECT_NEAR(standard_normal(1e-15), -7.941345326170998, 1e-14);
  EXPECT_NEAR(standard_normal(0x1p-53), -8.209536151601386, 1e-13);
}

// The distribution's own function, from which the quantile was made independently.
TEST(NormalQuantile, IsTheInverseOfTheDistribution) {
  for (double probability = 1e-12; probability < 0.5; probability *= 1.7) {
    const auto of = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    EXPECT_NEAR(of(standard_normal(probability)) / probability, 1, 1e-13) << probability;
    EXPECT_NEAR(standard_normal(1 - probability), -standard_normal(probability), 1e-15 / probability + 1e-14)
        << probability;
  }
}

TEST(NormalQuantile, HasALogarithmOfItsOwn) {
  for (double number = 0x1p-53; number < 1; number *= 1.37)
    EXPECT_NEAR(normal_quantile::logarithm(number) / std::log(number), 1, 4e-16) << number;
}

TEST(RandomFill, NormalNumbersHaveTheirMomentsAndTails) {
  constexpr std::size_t kCount = 1'000'000;
  const std::vector<double> numbers = numbers_of<double>(normal(ScalarType::float64, 3, 2), kCount);
  double sum = 0, squares = 0, fourth = 0;
  std::size_t beyond_three = 0;
  for (const double number : numbers) {
    const double z = (number - 3) / 2;
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
    if (std::abs(z) > 3) ++beyond_three;
  }
  // Of a million the mean has a standard deviation of 0.001, the variance one of 0.0014, the fourth moment of 0.0098.
  EXPECT_NEAR(sum / kCount, 0, 0.005);
  EXPECT_NEAR(squares / kCount, 1, 0.007);
  EXPECT_NEAR(fourth / kCount, 3, 0.05);
  EXPECT_NEAR(static_cast<double>(beyond_three), 2700, 260);  // 0.27 %, +- 5 deviations
}

TEST(RandomFill, NormalNumbersStayWithinTheirType) {
  const std::vector<std::uint8_t> bytes = numbers_of<std::uint8_t>(normal(ScalarType::uint8, 0, 200), 10'000);
  EXPECT_EQ(*std::ranges::max_element(bytes), 255);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(bytes, 0)), 5000, 300);
  for (const Float8E4M3 number : numbers_of<Float8E4M3>(normal(ScalarType::float8_e4m3, 0, 400), 10'000))
    ASSERT_LE(std::abs(static_cast<float>(number)), 448);
  for (const std::int64_t number : numbers_of<std::int64_t>(normal(ScalarType::int64, 9e18, 1e18), 1000))
    ASSERT_GT(number, 0);
}

TEST(RandomFill, IntegersCoverTheirRangeToItsEnds) {
  const std::vector<std::int32_t> dice = numbers_of<std::int32_t>(integers(ScalarType::int32, -3, 2), 60'000);
  for (int side = -3; side <= 2; ++side)
    EXPECT_NEAR(static_cast<double>(std::ranges::count(dice, side)), 10'000, 460) << side;  // 5 deviations
  EXPECT_THAT(numbers_of<float>(integers(ScalarType::float32, 7, 7), 3), testing::Each(7.0F));
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> all =
      numbers_of<std::int64_t>(integers(ScalarType::int64, kLeast, kMost), 1000);
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(all, [](auto x) { return x < 0; })), 500, 80);
}

TEST(RandomFill, APermutationHasEachNumberOnce) {
  for (const std::size_t count : {1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 1000, 65'537, 200'000}) {
    std::vector<std::int32_t> numbers =
        numbers_of<std::int32_t>(permutation(ScalarType::int32, count), count);
    std::ranges::sort(numbers);
    std::vector<std::int32_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(numbers, all) << count;
  }
}

TEST(RandomFill, APermutationIsAnotherOneInEachDrawAndOneOfAllKinds) {
  const auto of_draw = [](std::uint64_t draw) {
    return numbers_of<double>(permutation(ScalarType::float64, 3, draw), 3);
  };
  std::map<std::vector<double>, int> seen;
  constexpr int kDraws = 6000;
  for (int draw = 0; draw < kDraws; ++draw) ++seen[of_draw(static_cast<std::uint64_t>(draw))];
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, kDraws / 6, 250);
  const std::vector<std::int32_t> some =
      numbers_of<std::int32_t>(permutation(ScalarType::int32, 10'000), 10'000);
  int in_place = 0;
  double product = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (some[static_cast<std::size_t>(i)] == i) ++in_place;
    product += (some[static_cast<std::size_t>(i)] - 4999.5) * (i - 4999.5);
  }
  EXPECT_LT(in_place, 8) << "one is to be expected";
  EXPECT_NEAR(product / (10'000.0 * 10'000 * 10'000 / 12), 0, 0.05) << "correlation, of deviation 0.01";
}

TEST(RandomFill, IsMadeInPartsAndDiffersByDrawAndSeed) {
  for (RandomFill fill : {normal(ScalarType::float32, 0, 1), integers(ScalarType::float32, 0, 1000),
                          permutation(ScalarType::float32, 1000)}) {
    const std::vector<float> all = numbers_of<float>(fill, 1000), rest = numbers_of<float>(fill, 600, 400);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 400));
    ++fill.draw;
    EXPECT_NE(all, numbers_of<float>(fill, 1000));
    --fill.draw;
    ++fill.seed;
    EXPECT_NE(all, numbers_of<float>(fill, 1000));
  }
}

}  // namespace
}  // namespace tailwave
