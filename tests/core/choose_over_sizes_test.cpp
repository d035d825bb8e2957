#include "core/choose_over_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/over_sizes_by_hand.h"
#include "core/random.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<double> kAlike{1, 1, 1};

TEST(ChooseOverSizes, TakesTheLeastMeanOrTheLeastWorstCase) {
  const std::vector<SizeRatios> ratios{{1, 1, 1.5}, {1.2, 1.2, 1.2}, {2, 2, 1}};
  const SizesChoice mean = choose_over_sizes(ratios, kAlike, 1, SizesGoal::geometric_mean);
  EXPECT_THAT(mean.chosen, ElementsAre(0U));
  EXPECT_DOUBLE_EQ(mean.geometric_mean, std::cbrt(1.5));
  EXPECT_DOUBLE_EQ(mean.worst_case, 1.5);
  EXPECT_TRUE(mean.exact);
  const SizesChoice worst = choose_over_sizes(ratios, kAlike, 1, SizesGoal::worst_case);
  EXPECT_THAT(worst.chosen, ElementsAre(1U));
  EXPECT_DOUBLE_EQ(worst.objective(SizesGoal::worst_case), 1.2);
  const SizesChoice two = choose_over_sizes(ratios, kAlike, 2, SizesGoal::geometric_mean);
  EXPECT_THAT(two.chosen, ElementsAre(0U, 2U));
  EXPECT_THAT(two.serving, ElementsAre(0U, 0U, 2U));
  EXPECT_DOUBLE_EQ(two.objective(SizesGoal::geometric_mean), 1);
}

TEST(ChooseOverSizes, WeighsSizesAndKeepsNoMoreThanItTakes) {
  const std::vector<SizeRatios> ratios{{1, 2}, {2, 1}, {1.1, 1.1}};
  EXPECT_THAT(choose_over_sizes(ratios, std::vector{1.0, 1.0}, 1, SizesGoal::geometric_mean).chosen,
              ElementsAre(2U));
  EXPECT_THAT(choose_over_sizes(ratios, std::vector{1.0, 9.0}, 1, SizesGoal::geometric_mean).chosen,
              ElementsAre(1U));
  EXPECT_THAT(choose_over_sizes(ratios, std::vector{1.0, 1.0}, 3, SizesGoal::geometric_mean).chosen,
              ElementsAre(0U, 1U));
}

TEST(ChooseOverSizes, LeavesOutWhatFailsAnywhereAndLetsServeWhatIsNotEverywhere) {
  const std::vector<SizeRatios> failing{{1, kFailedAtSize}, {3, 1}};
  EXPECT_THAT(choose_over_sizes(failing, std::vector{1.0, 1.0}, 2, SizesGoal::geometric_mean).chosen,
              ElementsAre(1U));
  const std::vector<SizeRatios> parted{{1, kNotAtSize}, {kNotAtSize, 1}};
  EXPECT_THAT(choose_over_sizes(parted, std::vector{1.0, 1.0}, 1, SizesGoal::geometric_mean).chosen,
              IsEmpty());
  EXPECT_THAT(choose_over_sizes(parted, std::vector{1.0, 1.0}, 2, SizesGoal::geometric_mean).serving,
              ElementsAre(0U, 1U));
  EXPECT_THAT(choose_over_sizes(std::vector<SizeRatios>{}, kAlike, 1, SizesGoal::worst_case).chosen,
              IsEmpty());
}

std::vector<SizeRatios> random_table(Generator& random, std::size_t rows, std::size_t sizes) {
  std::vector<SizeRatios> table(rows, SizeRatios(sizes));
  for (std::size_t size = 0; size < sizes; ++size) {
    double least = kNotAtSize;
    for (SizeRatios& row : table) {
      const std::uint64_t fate = random.below(40);
      // Steps, so that some are equal.
      row[size] = 1 + 0.25 * static_cast<double>(random.below(9));
      least = std::min(least, row[size]);
      if (fate < 4) row[size] = fate == 0 ? kFailedAtSize : kNotAtSize;
    }
    for (SizeRatios& row : table) row[size] /= least;
  }
  return table;
}

TEST(ChooseOverSizes, IsAsGoodAsTheBestOfAllChoices) {
  Generator random(25);
  for (int turn = 0; turn < 400; ++turn) {
    const std::size_t sizes = 1 + random.below(5), keep = 1 + random.below(3);
    const std::vector<SizeRatios> table = random_table(random, 1 + random.below(12), sizes);
    std::vector<double> weights;
    for (std::size_t i = 0; i < sizes; ++i) weights.push_back(1 + static_cast<double>(random.below(3)));
    for (const SizesGoal goal : {SizesGoal::geometric_mean, SizesGoal::worst_case}) {
      const std::optional<double> least = by_hand::least_over_sizes(table, weights, keep, goal);
      const SizesChoice choice = choose_over_sizes(table, weights, keep, goal);
      ASSERT_EQ(choice.chosen.empty(), !least) << turn;
      if (!least) continue;
      ASSERT_NEAR(choice.objective(goal), *least, 1e-9) << turn;
      ASSERT_LE(choice.chosen.size(), keep);
      ASSERT_TRUE(choice.exact);
    }
  }
}

TEST(ChooseOverSizes, SaysWhereItDidNotLookAtAll) {
  Generator random(7);
  std::vector<SizeRatios> table(300, SizeRatios(12));
  for (SizeRatios& row : table)
    for (double& ratio : row) ratio = 1 + random.uniform();
  const std::vector<double> weights(12, 1);
  const SizesChoice short_of_time = choose_over_sizes(table, weights, 4, SizesGoal::geometric_mean, 1000);
  EXPECT_FALSE(short_of_time.exact);
  EXPECT_EQ(short_of_time.chosen.size(), 4U);
  // Greedy and exchanged, it is no worse than the best single one.
  EXPECT_LT(short_of_time.geometric_mean,
            choose_over_sizes(table, weights, 1, SizesGoal::geometric_mean).geometric_mean);
}

}  // namespace
}  // namespace tailwave
