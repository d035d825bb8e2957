#include "occupancy/sm_share.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace tailwave {
namespace {

int expected(const char* device, int asked) {
  return sms_to_expect(find_device(device), asked);
}

TEST(SmShare, ComesInStepsOfTheCapability) {
  EXPECT_EQ(expected("h200", 1), 8);
  EXPECT_EQ(expected("h200", 8), 8);
  EXPECT_EQ(expected("h200", 30), 32);
  EXPECT_EQ(expected("h200", 100), 104);
  EXPECT_EQ(expected("b200", 9), 16);
  EXPECT_EQ(expected("a100", 1), 4);
  EXPECT_EQ(expected("a100", 5), 6);
  EXPECT_EQ(expected("t4", 1), 2);
  EXPECT_EQ(expected("gtx1060", 3), 4);
}

TEST(SmShare, IsAllOfThemWhereTheStepGoesBeyond) {
  EXPECT_EQ(expected("h200", 130), 132);
  EXPECT_EQ(expected("h200", 132), 132);
  EXPECT_EQ(expected("gt630", 1), 1);
}

TEST(SmShare, SaysWhenThereAreNotSoMany) {
  EXPECT_EQ(sms_obstacle(find_device("h200"), 132), "");
  EXPECT_EQ(sms_obstacle(find_device("h200"), 133), "133 SMs exceed the 132 that the device has");
}

TEST(SmShare, OfALaunchIsWhatWasGrantedOrElseToBeExpected) {
  const DeviceSpec h200 = find_device("h200");
  LaunchRecord launch;
  EXPECT_EQ(sms_of(h200, launch), 132);
  launch.sms_asked = 30;
  EXPECT_EQ(sms_of(h200, launch), 32);
  launch.sms_granted = 34;
  EXPECT_EQ(sms_of(h200, launch), 34);
  EXPECT_EQ(device_of(h200, launch).sms, 34);
  EXPECT_EQ(device_of(h200, launch).sms_of_whole, 132);
  EXPECT_EQ(device_of(h200, launch).name, "h200");
}

TEST(FindDevice, TakesAPartOfADevice) {
  const DeviceSpec part = find_device("h200:60");
  EXPECT_EQ(part.sms, 64);
  EXPECT_EQ(part.name, "h200:64");
  EXPECT_EQ(part.title, "NVIDIA H200 (64 SMs)");
  EXPECT_EQ(part.compute_capability, 90);
  EXPECT_EQ(part.sms_of_whole, 132);
  EXPECT_EQ(part.bandwidth_gb_per_s, find_device("h200").bandwidth_gb_per_s);
  EXPECT_EQ(find_device("NVIDIA H200 (64 SMs)").name, "h200:64");
  EXPECT_EQ(find_device("sm_90:16").name, "h100:16");
  EXPECT_EQ(find_device("h200:132").name, "h200");
  EXPECT_EQ(find_device("h200:132").sms_of_whole, 0);
  EXPECT_EQ(find_devices("h200:64,h200,h200:60").size(), 2U);
}

TEST(FindDevice, RefusesAPartThatIsNone) {
  const auto error_of = [](const char* name) -> std::string {
    try {
      find_device(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of("h200:133"), "device 'h200': 133 SMs exceed the 132 that the device has");
  EXPECT_TRUE(error_of("h200:x").starts_with("device 'h200:x': 'x' is no number of SMs"));
  EXPECT_TRUE(error_of("h200:0").starts_with("device 'h200:0': '0' is no number of SMs"));
  EXPECT_TRUE(error_of("h20:8").starts_with("unknown device 'h20'\n  did you mean 'h200'?"));
}

}  // namespace
}  // namespace tailwave
