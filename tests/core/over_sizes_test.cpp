#include "core/over_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tailwave {
namespace {

using testing::ElementsAre;

SizeResult result(int block, int n, std::optional<double> cost) {
  return {{"nbody", "shared", {{"BLOCK", std::int64_t{block}}}, {{"DT", 0.5}, {"N", std::int64_t{n}}}}, cost};
}

std::vector<std::string> names(const std::vector<Configuration>& configurations) {
  std::vector<std::string> names;
  for (const Configuration& one : configurations) names.push_back(one.name());
  return names;
}

const std::vector<SizeResult> kResults{
    result(32, 64, 10),    result(32, 4096, 300),  result(64, 64, 12), result(64, 4096, 220),
    result(128, 64, 30),   result(128, 4096, 200), result(256, 64, 5), result(256, 4096, std::nullopt),
    result(512, 4096, 250)};

TEST(OverSizes, KeepsOneForAllSizesAndSaysWhatItCostsAtEach) {
  const OverSizes one = over_sizes(kResults, {});
  EXPECT_THAT(names(one.kept), ElementsAre("nbody/shared/BLOCK:64"));
  ASSERT_EQ(one.sizes.size(), 2U);
  EXPECT_EQ(one.words(one.sizes[0]), "N = 64");
  // Its best is the one that fails with N 4096.
  EXPECT_EQ(one.sizes[0].best.name(), "nbody/shared/BLOCK:256/DT:0.5/N:64");
  EXPECT_DOUBLE_EQ(one.sizes[0].ratio, 2.4);
  EXPECT_DOUBLE_EQ(one.sizes[1].ratio, 1.1);
  EXPECT_DOUBLE_EQ(one.choice.geometric_mean, std::sqrt(2.4 * 1.1));
  EXPECT_EQ(one.failed, 1U);
  EXPECT_EQ(one.compared, 4U);
  EXPECT_EQ(one.everywhere, 3U);
}

TEST(OverSizes, KeepsSeveralAndHoldsTheBestSingleOneBesideThem) {
  const OverSizes two = over_sizes(kResults, {.keep = 2});
  EXPECT_THAT(names(two.kept), ElementsAre("nbody/shared/BLOCK:32", "nbody/shared/BLOCK:128"));
  EXPECT_EQ(two.sizes[0].serving, 0U);
  EXPECT_EQ(two.sizes[1].serving, 1U);
  EXPECT_EQ(two.single->name(), "nbody/shared/BLOCK:64");
  EXPECT_DOUBLE_EQ(two.sizes[0].single_ratio, 2.4);
  EXPECT_DOUBLE_EQ(two.choice.worst_case, 2);
}

TEST(OverSizes, WeighsProblems) {
  const Values large{{"DT", 0.5}, {"N", std::int64_t{4096}}};
  EXPECT_THAT(names(over_sizes(kResults, {.weights = {{large, 100}}}).kept),
              ElementsAre("nbody/shared/BLOCK:128"));
}

TEST(OverSizes, SaysWhyNothingIsKept) {
  EXPECT_EQ(over_sizes({}, {}).why_none, "nothing was measured");
  EXPECT_EQ(over_sizes({result(32, 64, 1), result(32, 128, std::nullopt)}, {}).why_none,
            "nothing ran correctly with N = 128");
  const std::vector<SizeResult> parted{result(32, 64, 1), result(64, 128, 1), result(128, 256, 1)};
  EXPECT_EQ(over_sizes(parted, {}).why_none, "no configuration ran correctly at all 3 sizes");
  EXPECT_EQ(over_sizes(parted, {.keep = 2}).why_none,
            "no 2 configurations that failed nowhere serve all 3 sizes");
  EXPECT_EQ(over_sizes(parted, {.keep = 3}).kept.size(), 3U);
}

}  // namespace
}  // namespace tailwave
