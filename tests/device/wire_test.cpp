#include "device/wire.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace tailwave {
namespace {

TEST(Packet, GivesBackWhatWasPutInInOrder) {
  Artifact artifact;
  artifact.kind = Artifact::Kind::host_library;
  artifact.file = "/cache/ab/artifact.so";
  artifact.symbols = {{"step", "tw_step"}, {"move<4>", "_Z4moveILi4EEvv"}};
  const Values values{
      {"count", std::int64_t{1} << 40}, {"empty", std::string()}, {"yes", true}, {"x", -0.25}};
  Packet packet;
  packet << artifact << values << Outcome::timeout;

  Artifact artifact_back;
  Values values_back;
  Outcome outcome{};
  packet >> artifact_back >> values_back >> outcome;
  EXPECT_EQ(artifact_back.kind, artifact.kind);
  EXPECT_EQ(artifact_back.file, artifact.file);
  EXPECT_EQ(artifact_back.symbols, artifact.symbols);
  EXPECT_EQ(values_back, values);
  EXPECT_EQ(outcome, Outcome::timeout);
}

TEST(Packet, CarriesALaunchWithItsArguments) {
  ScalarBytes scalar;
  scalar.bytes = {std::byte{1}, std::byte{2}};
  scalar.size = 2;
  WireLaunch wire;
  wire.launch.kernel = "body_force";
  wire.launch.grid = {std::int64_t{1} << 33, 2, 3};
  wire.launch.block = {4, 5, 6};
  wire.launch.dynamic_shared_bytes = 7;
  wire.launch.stream = 8;
  wire.launch.wait = {3, 0};
  wire.launch.gpu = 2;
  wire.launch.cooperative = true;
  wire.launch.exit = LoopExit{.type = ScalarType::float64, .at_most = 0.25, .next = 11};
  wire.exit_buffer = 10;
  wire.arguments = {std::uint64_t{9}, scalar};
  Packet packet;
  packet << wire;

  WireLaunch back;
  packet >> back;
  EXPECT_EQ(back.launch.kernel, "body_force");
  EXPECT_EQ(back.launch.grid, wire.launch.grid);
  EXPECT_EQ(back.launch.block, wire.launch.block);
  EXPECT_EQ(back.launch.dynamic_shared_bytes, 7);
  EXPECT_EQ(back.launch.stream, 8);
  EXPECT_EQ(back.launch.wait, (std::vector<int>{3, 0}));
  EXPECT_EQ(back.launch.gpu, 2);
  EXPECT_TRUE(back.launch.cooperative);
  ASSERT_TRUE(back.launch.exit);
  EXPECT_EQ(back.launch.exit->type, ScalarType::float64);
  EXPECT_EQ(back.launch.exit->at_most, 0.25);
  EXPECT_EQ(back.launch.exit->next, 11U);
  EXPECT_EQ(back.exit_buffer, 10U);
  ASSERT_EQ(back.arguments.size(), 2U);
  EXPECT_EQ(std::get<std::uint64_t>(back.arguments[0]), 9U);
  EXPECT_EQ(std::get<ScalarBytes>(back.arguments[1]).size, 2U);
  EXPECT_EQ(std::get<ScalarBytes>(back.arguments[1]).bytes, scalar.bytes);
}

TEST(Packet, CarriesHowToRunAndWhatCameOfIt) {
  Packet packet;
  packet << RunOptions{7, 3, true, false} << RunOptions{1, 1, false, true}
         << RunResult{1.5, 1980.0, std::nullopt, "none"};
  RunOptions graph, cold;
  RunResult back{0, 1.0, 2.0, "left over"};
  packet >> graph >> cold >> back;
  EXPECT_EQ(graph.executions, 7);
  EXPECT_EQ(graph.sets, 3);
  EXPECT_TRUE(graph.graph);
  EXPECT_FALSE(graph.flush_cache);
  EXPECT_FALSE(cold.graph);
  EXPECT_TRUE(cold.flush_cache);
  EXPECT_EQ(back.time_ns, 1.5);
  EXPECT_EQ(back.sm_clock_mhz, 1980.0);
  EXPECT_EQ(back.temperature_c, std::nullopt);
  EXPECT_EQ(back.throttle_reasons, "none");
}

TEST(Packet, DoesNotReadPastItsEnd) {
  Packet packet;
  packet << std::size_t{100};
  std::string text;
  EXPECT_THROW(packet >> text, std::out_of_range);
}

TEST(Receive, WaitsNoLongerThanAskedAndNoticesTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  EXPECT_FALSE(receive(ends[0], 0.01).has_value());
  Packet packet;
  packet << 42;
  send(ends[1], packet);
  int number = 0;
  std::optional<Packet> received = receive(ends[0], 1);
  ASSERT_TRUE(received.has_value());
  *received >> number;
  EXPECT_EQ(number, 42);
  close(ends[1]);
  EXPECT_THROW(receive(ends[0], 1), ConnectionLost);
  EXPECT_THROW(send(ends[0], packet), ConnectionLost);
  close(ends[0]);
}

}  // namespace
}  // namespace tailwave
