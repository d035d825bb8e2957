#include "core/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace tailwave {
namespace {

using Samples = std::vector<double>;

Samples up_to(int last) {
  Samples samples(static_cast<std::size_t>(last));
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleValues) {
  EXPECT_EQ(median(Samples{3, 1, 2}), 2);
  EXPECT_EQ(median(Samples{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(Samples{7}), 7);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const Samples samples{40, 10, 20, 30};
  EXPECT_EQ(quantile(samples, 0), 10);
  EXPECT_EQ(quantile(samples, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.9), 37);
}

TEST(RootMeanSquare, IsTheRootOfTheMeanOfSquares) {
  EXPECT_DOUBLE_EQ(root_mean_square(Samples{1, -7}), 5);
  EXPECT_THROW(root_mean_square({}), std::invalid_argument);
}

// The ranks of Conover's table for n = 20: the 6th and the 15th value hold the median with 95.9 %.
TEST(MedianInterval, IsTheNarrowestPairOfOrderStatisticsThatCovers) {
  const Interval interval = median_interval(up_to(20), 0.95);
  EXPECT_EQ(interval.low, 6);
  EXPECT_EQ(interval.high, 15);
  EXPECT_EQ(median_interval(up_to(20), 0.99).low, 4);
}

TEST(MedianInterval, IsTheWholeRangeForFewSamples) {
  const Interval interval = median_interval(up_to(5), 0.95);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 5);
  EXPECT_EQ(median_interval(Samples{3}).low, 3);
}

TEST(MedianInterval, TakesManySamples) {
  const Interval interval = median_interval(up_to(10000), 0.95);
  EXPECT_EQ(interval.low, 4902);
  EXPECT_EQ(interval.high, 10001 - 4902);
}

TEST(RankCorrelation, SeesOrderAlone) {
  EXPECT_DOUBLE_EQ(rank_correlation(Samples{1, 2, 3}, Samples{10, 200, 3000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(Samples{1, 2, 3}, Samples{3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation(Samples{1, 2, 3, 4}, Samples{1, 2, 4, 3}), 0.8);
}

TEST(RankCorrelation, GivesTiesTheirMeanRank) {
  EXPECT_DOUBLE_EQ(rank_correlation(Samples{1, 2, 2, 4}, Samples{1, 2, 3, 4}), 3 / std::sqrt(10));
}

TEST(RankCorrelation, IsNotANumberWithoutPairsOrVariation) {
  EXPECT_TRUE(std::isnan(rank_correlation(Samples{}, Samples{})));
  EXPECT_TRUE(std::isnan(rank_correlation(Samples{1}, Samples{1})));
  EXPECT_TRUE(std::isnan(rank_correlation(Samples{1, 1}, Samples{1, 2})));
}

TEST(Statistics, RefuseNoSamplesAndUnequalLengths) {
  EXPECT_THROW((void)median(Samples{}), std::invalid_argument);
  EXPECT_THROW((void)quantile(Samples{}, 0.5), std::invalid_argument);
  EXPECT_THROW((void)median_interval(Samples{}), std::invalid_argument);
  EXPECT_THROW((void)rank_correlation(Samples{1}, Samples{1, 2}), std::invalid_argument);
}

}  // namespace
}  // namespace tailwave
