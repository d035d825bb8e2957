#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "device/cuda/nvml.h"
#include "device/cuda_test_kernels.h"

namespace tailwave {
namespace {

TEST(NvmlReader, SaysInOneLineThatTheLibraryIsAbsent) {
  const NvmlReader reader("GPU-0", "libno_such_nvml.so.1");
  EXPECT_EQ(reader.obstacle(), "libno_such_nvml.so.1 not found");
  EXPECT_TRUE(reader.read().empty());
}

TEST(NvmlReader, NamesTheFunctionThatALibraryLacks) {
  EXPECT_EQ(NvmlReader("GPU-0", "libm.so.6").obstacle(), "libm.so.6 has no nvmlInit_v2");
}

TEST(NvmlReader, WritesJsonWithTheObstacleWhenThereIsNoSuchDevice) {
  EXPECT_THAT(read_clocks_json("GPU-0"), testing::StartsWith(R"({"unavailable":")"));
}

TEST(GpuStatePoll, KnowsNothingOfADeviceThatIsNotThere) {
  GpuStatePoll poll("GPU-0");
  EXPECT_EQ(poll.latest().temperature_c, std::nullopt);
  EXPECT_EQ(poll.latest().throttle_reasons, "");
  EXPECT_EQ(poll.latest().other_processes, std::nullopt);
}

// Where NVML names these, each with the instance of the GPU that it uses: "12:0 13:1".
std::optional<std::int64_t> others_among(const std::string& processes) {
  setenv("FAKE_NVML_PROCESSES", processes.c_str(), 1);
  const NvmlReader reader("GPU-0", TAILWAVE_FAKE_NVML);
  EXPECT_EQ(reader.obstacle(), "");
  const auto others = reader.other_processes();
  unsetenv("FAKE_NVML_PROCESSES");
  return others;
}

TEST(NvmlReader, CountsProcessesOnItsPartOfTheGpuThatAreCalledOtherwise) {
  const pid_t alike = fork();
  if (alike == 0) {
    pause();
    _exit(0);
  }
  const std::string own = std::to_string(getpid());
  EXPECT_EQ(others_among(own + ":0"), 0);
  EXPECT_EQ(others_among(std::to_string(alike) + ":0 " + own + ":0"), 0);
  EXPECT_EQ(others_among("1:0 " + own + ":0"), 1);
  EXPECT_EQ(others_among("1:1 " + own + ":2 1:1"), 0);
  setenv("FAKE_NVML_GRAPHICS", "1:0", 1);  // it draws, too
  EXPECT_EQ(others_among("1:0 " + own + ":0"), 1);
  EXPECT_EQ(others_among(own + ":0"), 1);
  unsetenv("FAKE_NVML_GRAPHICS");
  kill(alike, SIGKILL);
  EXPECT_EQ(waitpid(alike, nullptr, 0), alike);
  EXPECT_EQ(others_among(std::to_string(alike) + ":0 " + own + ":0"), 0);  // it has just ended
}

TEST(NvmlReader, KnowsOfNoOthersWhereItDoesNotSeeItself) {
  EXPECT_EQ(others_among(""), std::nullopt);
  EXPECT_EQ(others_among("1:0 2:0"), std::nullopt);  // by the numbers of another container
  EXPECT_EQ(NvmlReader("GPU-0", TAILWAVE_FAKE_NVML).other_processes(), std::nullopt);  // it fails
}

TEST(NvmlReader, TellsTheEnergyInJoulesWhereTheCardDoes) {
  const NvmlReader reader("GPU-0", TAILWAVE_FAKE_NVML);
  EXPECT_EQ(reader.energy_j(), std::nullopt);
  setenv("FAKE_NVML_ENERGY_MJ", "12345678901", 1);
  EXPECT_DOUBLE_EQ(reader.energy_j().value_or(0), 12345678.901);
  unsetenv("FAKE_NVML_ENERGY_MJ");
  EXPECT_EQ(NvmlReader("GPU-0", "libno_such_nvml.so.1").energy_j(), std::nullopt);
}

TEST(ThrottleReasons, AreNamedBitByBit) {
  EXPECT_EQ(throttle_reasons(0), "none");
  EXPECT_EQ(throttle_reasons(0x1), "gpu_idle");
  EXPECT_EQ(throttle_reasons(0x4 | 0x20), "sw_power_cap+sw_thermal");
  EXPECT_EQ(throttle_reasons(0x4 | 0x1000), "sw_power_cap+0x1000");
}

TEST(NvmlReaderGpu, ReadsClocksTemperatureAndPower) {
  if (!Gpu::get().obstacle.empty()) GTEST_SKIP() << Gpu::get().obstacle;
  const auto& devices = Gpu::get().devices;
  const NvmlReader reader(devices.front().uuid);
  ASSERT_EQ(reader.obstacle(), "");
  const Values values = reader.read();
  std::cout << "  " << read_clocks_json(devices.front().uuid) << "\n";
  EXPECT_GT(std::get<double>(values.at("sm_clock_mhz")), 100);
  EXPECT_GT(std::get<double>(values.at("memory_clock_mhz")), 100);
  EXPECT_GT(std::get<double>(values.at("temperature_c")), 5);
  EXPECT_TRUE(values.contains("throttle_reasons"));

  GpuStatePoll poll(devices.front().uuid);
  EXPECT_GT(poll.latest().temperature_c.value_or(0), 5);
  EXPECT_NE(poll.latest().throttle_reasons, "");
  std::cout << "  other processes: " << poll.latest().other_processes.value_or(-1) << "\n";
}

}  // namespace
}  // namespace tailwave
