#include "measure/least_time.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

constexpr MemoryRates kRates{.copy = 4e12, .read = 5e12, .write = 3e12, .l2_read = 8e12, .l2_write = 6e12};
constexpr std::int64_t kCache = 50'000'000;

TEST(LeastWrite, IsNotKnownWithoutRates) {
  EXPECT_EQ(least_write_ns(1 << 30, kCache, {}), 0);
}

TEST(LeastWrite, OfWhatL2HoldsIsAtItsRate) {
  EXPECT_DOUBLE_EQ(least_write_ns(8'800'000, kCache, kRates), 1000);
}

TEST(LeastWrite, OfMoreIsWhatL2CannotHoldAtTheBestRateOfMemory) {
  EXPECT_DOUBLE_EQ(least_write_ns(kCache + 5'500'000'000, kCache, kRates), 1e6);
}

TEST(LeastWrite, TakesNoLessFromL2ThanFromMemory) {
  EXPECT_DOUBLE_EQ(least_write_ns(5'500'000, kCache, {.copy = 1e12, .read = 5e12}), 1000);
}

TEST(L2Bytes, AreMoreThanThoseOfAnythingWhereTheDeviceDoesNotSay) {
  DeviceDescription device;
  EXPECT_EQ(l2_bytes(device), std::int64_t{256} << 20);
  device.properties["l2_bytes"] = std::int64_t{4096};
  EXPECT_EQ(l2_bytes(device), 4096);
}

}  // namespace
}  // namespace tailwave
