#include "occupancy/device_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/error.h"

namespace tailwave {
namespace {

Values needed_limits(const DeviceSpec& device) {
  const auto whole = [](int value) { return Value(std::int64_t{value}); };
  return {{"compute_capability", whole(device.compute_capability)},
          {"sms", whole(device.sms)},
          {"max_threads_per_block", whole(device.max_threads_per_block)},
          {"max_threads_per_sm", whole(device.max_threads_per_sm)},
          {"registers_per_block", whole(device.registers_per_block)},
          {"registers_per_sm", whole(device.registers_per_sm)},
          {"warp_size", whole(device.warp_size)},
          {"shared_bytes_per_block", whole(device.shared_bytes_per_block)},
          {"shared_bytes_per_block_opt_in", whole(device.shared_bytes_per_block_opt_in)},
          {"shared_bytes_per_sm", whole(device.shared_bytes_per_sm)},
          {"reserved_shared_bytes_per_block", whole(device.reserved_shared_bytes_per_block)}};
}

Values all_limits(const DeviceSpec& device) {
  Values limits = needed_limits(device);
  limits["max_blocks_per_sm"] = std::int64_t{device.max_blocks_per_sm};
  limits["clock_mhz"] = device.clock_mhz;
  limits["bandwidth_gb_per_s"] = device.bandwidth_gb_per_s;
  limits["l2_mib"] = device.l2_mib;
  return limits;
}

TEST(KnownDevices, HaveEverythingThatOccupancyNeeds) {
  std::set<std::string> names;
  for (const DeviceSpec& device : known_devices()) {
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    for (const auto& [name, value] : all_limits(device)) {
      if (name == "reserved_shared_bytes_per_block") continue;
      EXPECT_NE(to_string(value), "0") << device.name << " " << name;
    }
    const int reserve = device.compute_capability >= 80 ? 1024 : 0;
    EXPECT_EQ(device.reserved_shared_bytes_per_block, reserve) << device.name;
    EXPECT_LE(device.shared_bytes_per_block_opt_in + reserve, device.shared_bytes_per_sm) << device.name;
  }
  for (const char* name : {"gt630", "gtx1060", "v100", "t4", "rtx2080ti", "a100", "a4000", "a10", "rtx3090",
                           "l4", "l40s", "rtx4090", "h100", "h100_pcie", "h200", "b200", "rtx5090"})
    EXPECT_TRUE(names.contains(name)) << name;
  const auto by_capability = [](const DeviceSpec& a, const DeviceSpec& b) {
    return a.compute_capability < b.compute_capability;
  };
  EXPECT_TRUE(std::is_sorted(known_devices().begin(), known_devices().end(), by_capability));
}

TEST(FindDevice, TakesNamesTitlesAliasesAndCapabilities) {
  EXPECT_EQ(find_device("h200").sms, 132);
  EXPECT_EQ(find_device("NVIDIA H200").name, "h200");
  EXPECT_EQ(find_device("nvidia geforce rtx 4090").name, "rtx4090");
  EXPECT_EQ(find_device("RTX 4090").name, "rtx4090");
  EXPECT_EQ(find_device("Tesla V100-SXM2-32GB").name, "v100");
  EXPECT_EQ(find_device("NVIDIA H100 80GB HBM3").name, "h100");
  EXPECT_EQ(find_device("NVIDIA H100 PCIe").sms, 114);
  EXPECT_EQ(find_device("sm_90").name, "h100");
  EXPECT_EQ(find_device("sm_75").name, "t4");
  EXPECT_EQ(find_device("A100").name, "a100");
  for (const auto& [title, name] : {std::pair{"NVIDIA A100-PCIE-40GB", "a100"},
                                    {"NVIDIA RTX A6000", "a6000"},
                                    {"NVIDIA GeForce RTX 3060 Laptop GPU", "rtx3060_laptop"},
                                    {"GeForce RTX 2070 SUPER", "rtx2070super"},
                                    {"TITAN RTX", "titan_rtx"},
                                    {"Tesla V100-PCIE-32GB", "v100_pcie"},
                                    {"Tesla P100-PCIE-12GB", "p100_12gb"}})
    EXPECT_EQ(find_device(title).name, name) << title;
}

std::string error_of(std::string_view name) {
  try {
    find_device(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), Error::kBadUsage);
    return error.what();
  }
  return "no error";
}

TEST(FindDevice, SuggestsAndListsWhatThereIs) {
  const std::string list =
      "known devices: gt630, p100, p100_12gb, gtx1060, gtx1080ti, v100, v100_pcie, titan_v, t4, rtx2080ti, "
      "rtx2070super, titan_rtx, a100, a100_80gb, a4000, a10, rtx3090, a6000, rtx3060_laptop, l4, rtx4070, l40s, "
      "rtx4090, h100, h100_pcie, h200, b200, rtx5090, and for the first of a capability sm_30, sm_60, sm_61, "
      "sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120";
  EXPECT_EQ(error_of("rtx4080"), "unknown device 'rtx4080'\n  did you mean 'rtx4070'? " + list);
  EXPECT_EQ(error_of("sm_999"), "unknown device 'sm_999'\n  " + list);
}

std::vector<std::string> names_found(std::string_view text) {
  std::vector<std::string> names;
  for (const DeviceSpec& device : find_devices(text)) names.push_back(device.name);
  return names;
}

TEST(FindDevice, KnowsAWrongNumberOfSmsFromAWrongName) {
  EXPECT_EQ(error_of("h200:64.5"),
            "device 'h200:64.5': '64.5' is no number of SMs\n  h200:72 has 72 of its SMs");
  EXPECT_EQ(error_of("h200:"), "device 'h200:': '' is no number of SMs\n  h200:72 has 72 of its SMs");
  EXPECT_THAT(error_of("h2000:64"), ::testing::StartsWith("unknown device 'h2000'\n  did you mean 'h200'?"));
}

TEST(FindDevices, TakesAListEachOnce) {
  EXPECT_THAT(names_found("a100"), testing::ElementsAre("a100"));
  EXPECT_THAT(names_found("h200,NVIDIA RTX A4000,sm_90,H200"), testing::ElementsAre("h200", "a4000", "h100"));
}

TEST(FindDevices, KnowsAllOfThem) {
  EXPECT_EQ(find_devices("all").size(), known_devices().size());
}

TEST(FindDevices, RefusesAListWithAnUnknownName) {
  for (const char* names : {"a100,b300x", "a100,", "", "all,h200"})
    EXPECT_THROW(find_devices(names), Error) << names;
}

TEST(DeviceSpecFrom, TakesAllLimits) {
  const DeviceSpec h200 = find_device("h200");
  const DeviceSpec same = device_spec_from(all_limits(h200), "h200", "NVIDIA H200");
  EXPECT_EQ(all_limits(same), all_limits(h200));
  EXPECT_EQ(same.title, "NVIDIA H200");
}

TEST(DeviceSpecFrom, NeedsNoMoreThanTheNeededLimits) {
  Values properties = needed_limits({});
  for (auto& [name, value] : properties) value = std::int64_t{7};
  properties["something_else"] = std::string("kept apart");
  const DeviceSpec device = device_spec_from(properties, "cuda", "A GPU");
  EXPECT_EQ(device.shared_bytes_per_block_opt_in, 7);
  EXPECT_EQ(device.clock_mhz, 0);

  properties.erase("sms");
  try {
    device_spec_from(properties, "cuda", "A GPU");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "device cuda: the property 'sms' is missing");
  }
}

}  // namespace
}  // namespace tailwave
