#include "core/gpu_factors.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(DeviceFactors, AreMediansOfRatiosToTheFirstInTheSameBlock) {
  std::vector<AnchorTime> times;
  for (int block = 0; block < 6; ++block) {
    const double ns = 1000.0 + 100 * block;
    times.push_back({0, block, ns});
    times.push_back({1, block, 1.03 * ns});
  }
  times.push_back({1, 7, 1e9});  // nothing to be held beside
  times.push_back({2, 0, 990});
  times.push_back({2, 1, 0});  // failed
  const std::vector<GpuFactor> factors = gpu_factors(times, {0, 1, 2, 3});
  ASSERT_EQ(factors.size(), 3U);
  EXPECT_EQ(factors[0].factor, 1);
  EXPECT_DOUBLE_EQ(factors[1].factor, 1.03);
  EXPECT_EQ(factors[1].ratios, 6U);
  ASSERT_TRUE(factors[1].interval);
  EXPECT_NEAR(factors[1].interval->low, 1.03, 1e-12);
  EXPECT_DOUBLE_EQ(factors[2].factor, 0.99);
  EXPECT_FALSE(factors[2].interval);
}

TEST(DeviceFactors, AreBesideTheFirstThatIsLeft) {
  const std::vector<GpuFactor> factors = gpu_factors({{0, 0, 100}, {1, 0, 200}, {2, 0, 300}}, {1, 2});
  ASSERT_EQ(factors.size(), 2U);
  EXPECT_EQ(factors[0].factor, 1);
  EXPECT_DOUBLE_EQ(factors[1].factor, 1.5);
  EXPECT_TRUE(gpu_factors({}, {}).empty());
}

}  // namespace
}  // namespace tailwave
