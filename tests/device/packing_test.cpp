#include "device/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <vector>

#include "core/device.h"
#include "core/trace.h"

namespace tailwave {
namespace {

TEST(Packing, CarriesWhatIsKnownOfADevice) {
  DeviceDescription device;
  device.kind = DeviceKind::cpu;
  device.name = "NVIDIA H200";
  device.uuid = "GPU-1";
  device.compute_capability = 90;
  device.sms = 132;
  device.memory_bytes = std::int64_t{141} << 30;
  device.clock_mhz = 1980;
  device.memory_clock_mhz = 3201;
  device.driver = "13.0";
  device.properties = {{"ratio", 0.5}, {"note", std::string("text")}, {"flag", true}, {"n", std::int64_t{3}}};
  Packet packet;
  packet << device;
  const auto back = take<DeviceDescription>(packet);
  EXPECT_EQ(back.kind, DeviceKind::cpu);
  EXPECT_EQ(back.name, "NVIDIA H200");
  EXPECT_EQ(back.uuid, "GPU-1");
  EXPECT_EQ(back.compute_capability, 90);
  EXPECT_EQ(back.sms, 132);
  EXPECT_EQ(back.memory_bytes, std::int64_t{141} << 30);
  EXPECT_EQ(back.clock_mhz, 1980);
  EXPECT_EQ(back.memory_clock_mhz, 3201);
  EXPECT_EQ(back.driver, "13.0");
  EXPECT_EQ(back.properties, device.properties);
}

TEST(Packing, CarriesWhatLoadingNeedsOfAnArtifact) {
  Artifact artifact;
  artifact.kind = Artifact::Kind::host_library;
  artifact.file = "/cache/ab/artifact.so";
  artifact.symbols = {{"step", "tw_step"}, {"move<4>", "_Z4moveILi4EEvv"}};
  Packet packet;
  packet << artifact;
  const auto back = take<Artifact>(packet);
  EXPECT_EQ(back.kind, artifact.kind);
  EXPECT_EQ(back.file, artifact.file);
  EXPECT_EQ(back.symbols, artifact.symbols);
}

TEST(Packing, CarriesALongTraceBesideTheMessage) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Descriptor here(ends[0]), there(ends[1]);
  Packet packet;
  const std::vector<BlockTime> few{{10, 20, 15, 1}, {15, std::int64_t{1} << 40, 20, 2}}, many(10'000, few[1]);
  packet << LaunchTrace{many, 5, 32, 8} << LaunchTrace{few, 6, 1, 2} << LaunchTrace{};
  EXPECT_EQ(packet.blobs().size(), 1U);
  send(there.number(), packet);
  packet = *receive(here.number());
  const auto back = take<LaunchTrace>(packet);
  EXPECT_EQ(take<LaunchTrace>(packet).blocks, few);
  EXPECT_EQ(take<LaunchTrace>(packet).blocks, std::vector<BlockTime>());
  EXPECT_EQ(back.blocks, many);
  EXPECT_EQ(back.duration_ns, 5);
  EXPECT_EQ(back.registers, 32);
  EXPECT_EQ(back.local_bytes, 8);
}

}  // namespace
}  // namespace tailwave
