#include "device/counters.h"

#include <gtest/gtest.h>

#include "fakes/fake_device.h"
#include "fakes/one_variant.h"

namespace tailwave {
namespace {

TEST(Counters, SayWhatToDoWhereTheyCannotBeRead) {
  EXPECT_EQ(
      describe_obstacle(CounterObstacle::in_use, "starting to count: CUPTI_ERROR_HARDWARE_BUSY"),
      "counters: in use: starting to count: CUPTI_ERROR_HARDWARE_BUSY\n"
      "  only one program can count on a GPU at a time: end other profilers (ncu, nsys, DCGM: 'dcgmi profile "
      "--pause') and try again");
  EXPECT_EQ(describe_obstacle(CounterObstacle::failed, "reading the counters: CUPTI_ERROR_UNKNOWN"),
            "counters: failed: reading the counters: CUPTI_ERROR_UNKNOWN");
  for (const CounterObstacle obstacle :
       {CounterObstacle::no_library, CounterObstacle::too_old, CounterObstacle::not_permitted,
        CounterObstacle::in_use, CounterObstacle::not_supported})
    EXPECT_NE(describe_obstacle(obstacle, "x").find('\n'), std::string::npos) << to_string(obstacle);
}

TEST(Counters, AreWhatMostDevicesLack) {
  fakes::FakeExecutor device;
  EXPECT_EQ(fakes::failure_of([&] { device.counters(); }),
            "launch_failed: this device has no hardware counters");
}

}  // namespace
}  // namespace tailwave
