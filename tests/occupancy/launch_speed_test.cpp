#include "occupancy/launch_speed.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(LaunchSpeed, BalancesTheBlocksOfTheBusiestSm) {
  EXPECT_DOUBLE_EQ(wave_balance({528, 64, 132, 4}), 1);
  EXPECT_DOUBLE_EQ(wave_balance({4, 1024, 132, 2}), 4.0 / 132);
  EXPECT_DOUBLE_EQ(wave_balance({554, 64, 132, 4}), 554.0 / (132 * 5));
  EXPECT_DOUBLE_EQ(wave_balance({1057, 64, 132, 4}), 1057.0 / (132 * 9));
}

TEST(LaunchSpeed, WantsEnoughWarpsInEveryWaveToHideLatency) {
  EXPECT_DOUBLE_EQ(latency_hiding({528, 64, 132, 4}), 1);
  EXPECT_DOUBLE_EQ(latency_hiding({554, 64, 132, 4}), 10.0 / 16);
  EXPECT_DOUBLE_EQ(latency_hiding({132, 1, 132, 32}), 1.0 / 8);
  EXPECT_DOUBLE_EQ(latency_hiding({264, 1024, 132, 2}), 1);
}

TEST(LaunchSpeed, OfClustersIsThatOfTheSmsThatTheyFill) {
  EXPECT_EQ(filled_sms(120, 1), 120);
  EXPECT_EQ(filled_sms(394, 3), 132);
  EXPECT_DOUBLE_EQ(wave_balance({240, 256, filled_sms(120, 1), 1}), 1);
}

TEST(LaunchSpeed, PredictsHowLongTheSameWorkTakes) {
  EXPECT_DOUBLE_EQ(relative_time({528, 64, 132, 4}), 1);
  EXPECT_DOUBLE_EQ(relative_time({554, 64, 132, 4}), 132 * 5 / 554.0 * 16 / 10);
  EXPECT_DOUBLE_EQ(relative_time({528, 48, 132, 4}), 64 / 48.0);
}

}  // namespace
}  // namespace tailwave
