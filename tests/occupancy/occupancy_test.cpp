#include "occupancy/occupancy.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tailwave {
namespace {

KernelResources kernel_with(int registers, std::int64_t static_shared_bytes = 0, int barriers = 0) {
  KernelResources kernel;
  kernel.kernel = "kernel";
  kernel.registers = registers;
  kernel.static_shared_bytes = static_shared_bytes;
  kernel.barriers = barriers;
  return kernel;
}

DeviceSpec device(std::string_view name) {
  return find_device(name);
}

class ComputedOccupancy : public testing::Test {
 protected:
  void SetUp() override {
    if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  }
};

TEST_F(ComputedOccupancy, OfAnA100BlockOf256IsLimitedByWarps) {
  const Occupancy occupancy = compute_occupancy(device("a100"), kernel_with(16), {256}, 0);
  EXPECT_EQ(occupancy.blocks_per_sm, 8);
  EXPECT_EQ(occupancy.limiter, "warps");
  EXPECT_EQ(occupancy.limit_registers, 16);
  EXPECT_EQ(occupancy.limit_shared_memory, 164);
  EXPECT_EQ(occupancy.limit_warps, 8);
  EXPECT_EQ(occupancy.limit_blocks, 32);
  EXPECT_DOUBLE_EQ(occupancy.occupancy, 1);
}

TEST_F(ComputedOccupancy, OfAnH100BlockWith30KilobytesIsLimitedBySharedMemory) {
  const Occupancy occupancy = compute_occupancy(device("h100"), kernel_with(63), {128}, 30700);
  EXPECT_EQ(occupancy.blocks_per_sm, 7);
  EXPECT_EQ(occupancy.limiter, "shared_memory");
  EXPECT_EQ(occupancy.limit_registers, 8);
  EXPECT_EQ(occupancy.limit_shared_memory, 7);
  EXPECT_EQ(occupancy.limit_warps, 16);
  EXPECT_EQ(occupancy.limit_blocks, 32);
  EXPECT_DOUBLE_EQ(occupancy.occupancy, 0.4375);
}

TEST_F(ComputedOccupancy, OfAGtx1060NamesBothLimitsThatTie) {
  const Occupancy occupancy = compute_occupancy(device("gtx1060"), kernel_with(32), {256}, 0);
  EXPECT_EQ(occupancy.blocks_per_sm, 8);
  EXPECT_EQ(occupancy.limiter, "registers+warps");
}

TEST_F(ComputedOccupancy, TakesAnUnusedResourceAsAllowingEveryBlockSlot) {
  const Occupancy occupancy = compute_occupancy(device("v100"), kernel_with(16), {64}, 0);
  EXPECT_EQ(occupancy.limit_shared_memory, 32);
  EXPECT_EQ(occupancy.limit_blocks, 32);
  EXPECT_EQ(occupancy.limiter, "warps+blocks");
}

TEST_F(ComputedOccupancy, CountsStaticAndDynamicSharedMemoryAlike) {
  const Occupancy fixed = compute_occupancy(device("t4"), kernel_with(16, 20000), {128}, 0);
  const Occupancy dynamic = compute_occupancy(device("t4"), kernel_with(16), {128}, 20000);
  EXPECT_EQ(fixed, dynamic);
  EXPECT_EQ(fixed.blocks_per_sm, 3);
  EXPECT_EQ(fixed.limiter, "shared_memory");
}

TEST_F(ComputedOccupancy, UsesTheOptInLimitForLargeDynamicSharedMemory) {
  EXPECT_EQ(compute_occupancy(device("h200"), kernel_with(32), {128}, 232448).blocks_per_sm, 1);
  EXPECT_EQ(compute_occupancy(device("h200"), kernel_with(32), {128}, 232449), Occupancy{});
}

TEST_F(ComputedOccupancy, TakesBarriersFromTheKernelOnHopper) {
  const Occupancy occupancy = compute_occupancy(device("h100"), kernel_with(16, 0, 16), {64}, 0);
  EXPECT_EQ(occupancy.limiter, "barriers");
  EXPECT_EQ(occupancy.blocks_per_sm, 4);
  EXPECT_EQ(compute_occupancy(device("a100"), kernel_with(16, 0, 16), {64}, 0).blocks_per_sm, 32);
}

TEST_F(ComputedOccupancy, FollowsTheSmOfEachGeneration) {
  const KernelResources kernel = kernel_with(16);
  for (const DeviceSpec& known : known_devices()) {
    const Occupancy small = compute_occupancy(known, kernel, {32}, 0);
    EXPECT_EQ(small.limit_blocks, known.max_blocks_per_sm) << known.name;
    EXPECT_EQ(small.limit_warps, known.max_threads_per_sm / 32) << known.name;
    EXPECT_EQ(small.blocks_per_sm, known.max_blocks_per_sm) << known.name;
  }
}

TEST_F(ComputedOccupancy, KeepsCodeForALaterTargetWithinTheRegistersOfCapability30) {
  const Occupancy occupancy = compute_occupancy(device("gt630"), kernel_with(120), {128}, 0);
  EXPECT_EQ(occupancy, compute_occupancy(device("gt630"), kernel_with(63), {128}, 0));
  EXPECT_EQ(occupancy.blocks_per_sm, 8);
}

TEST_F(ComputedOccupancy, IsZeroExactlyWhereALaunchIsImpossible) {
  int impossible = 0;
  for (const DeviceSpec& known : known_devices()) {
    for (int registers = 8; registers <= 255; registers += 13)
      for (int threads = 32; threads <= 1056; threads += 64)
        for (std::int64_t shared = 0; shared < 240000; shared += 24000) {
          const KernelResources kernel = kernel_with(registers, 0, 1);
          const bool blocked = !launch_obstacle(known, kernel, {}, {threads}, shared).empty();
          impossible += blocked ? 1 : 0;
          EXPECT_EQ(compute_occupancy(known, kernel, {threads}, shared).blocks_per_sm == 0, blocked)
              << known.name << " " << registers << " registers " << threads << " threads " << shared
              << " bytes";
        }
  }
  EXPECT_GT(impossible, 1000);
}

TEST_F(ComputedOccupancy, RefusesADeviceOlderThanTheCalculator) {
  DeviceSpec old = device("gt630");
  old.name = "gtx580";
  old.compute_capability = 20;
  try {
    compute_occupancy(old, kernel_with(16), {64}, 0);
    FAIL() << "no error";
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "device gtx580: cuda_occupancy.h cannot answer for compute capability 2.0");
  }
}

TEST_F(ComputedOccupancy, IsAvailableForEveryKnownDeviceAndNoOlderOne) {
  for (const DeviceSpec& known : known_devices()) EXPECT_TRUE(occupancy_available(known)) << known.name;
  DeviceSpec old = device("gt630");
  old.compute_capability = 20;
  EXPECT_FALSE(occupancy_available(old));
  EXPECT_EQ(why_no_occupancy(old), "cuda_occupancy.h cannot answer for compute capability 2.0");
}

TEST_F(ComputedOccupancy, ReproducesTheWavesOfTheA100Study) {
  const DeviceSpec a100 = device("a100");
  const Occupancy one = compute_occupancy(a100, kernel_with(32), {1}, 0);
  EXPECT_EQ(one.blocks_per_sm, 32);
  EXPECT_NEAR(compute_waves(a100, {4096}, one.blocks_per_sm).waves, 1.185, 0.0005);
  const Occupancy two = compute_occupancy(a100, kernel_with(32), {2}, 0);
  EXPECT_NEAR(compute_waves(a100, {2048}, two.blocks_per_sm).waves, 0.593, 0.0005);
}

TEST(Waves, SplitIntoFullOnesAndTheTail) {
  const Waves waves = compute_waves(device("a100"), {4096}, 32);
  EXPECT_EQ(waves.full_waves, 1);
  EXPECT_DOUBLE_EQ(waves.tail_fraction, (4096.0 - 3456) / 3456);
  EXPECT_DOUBLE_EQ(waves.quantisation_efficiency, 4096.0 / (2 * 3456));
  EXPECT_EQ(waves.active_sms, 108);
}

TEST(Waves, ThatAreWholeHaveNoTail) {
  const Waves waves = compute_waves(device("h200"), {132, 4, 2}, 4);
  EXPECT_DOUBLE_EQ(waves.waves, 2);
  EXPECT_EQ(waves.full_waves, 2);
  EXPECT_DOUBLE_EQ(waves.tail_fraction, 0);
  EXPECT_DOUBLE_EQ(waves.quantisation_efficiency, 1);
}

TEST(Waves, OfASmallGridLeaveSmsIdle) {
  const Waves waves = compute_waves(device("h200"), {4}, 2);
  EXPECT_EQ(waves.full_waves, 0);
  EXPECT_EQ(waves.active_sms, 4);
  EXPECT_DOUBLE_EQ(waves.tail_fraction, 4.0 / 264);
}

TEST(Waves, NeedABlockThatFits) {
  EXPECT_THROW(compute_waves(device("h200"), {4}, 0), std::invalid_argument);
}

struct Obstacle {
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes;
  KernelResources kernel;
  const char* text;
};

TEST(LaunchObstacle, SaysWhichLimitIsExceededByHowMuch) {
  KernelResources bounded = kernel_with(32);
  bounded.max_threads = 128;
  const KernelResources plain = kernel_with(32);
  const Obstacle cases[] = {
      {{4}, {1025}, 0, plain, "1025 threads a block exceed the 1024 that the device allows"},
      {{4}, {1024}, 0, plain, ""},
      {{4}, {256}, 0, bounded, "256 threads a block exceed the 128 of the kernel's __launch_bounds__"},
      {{4},
       {2, 2, 65},
       0,
       plain,
       "a block of 2 x 2 x 65 threads exceeds the 1024 x 1024 x 64 that the device allows"},
      {{4}, {0}, 0, plain, "a block of 0 x 1 x 1 threads is empty"},
      {{0}, {32}, 0, plain, "a grid of 0 x 1 x 1 blocks is empty"},
      {{1, 65536},
       {32},
       0,
       plain,
       "a grid of 1 x 65536 x 1 blocks exceeds the 2147483647 x 65535 x 65535 that the device allows"},
      {{4}, {32}, -8, plain, "-8 bytes of dynamic shared memory are negative"},
      {{4},
       {32},
       166000,
       kernel_with(32, 1000),
       "167000 bytes of shared memory a block exceed the 166912 that the device allows"},
      {{4},
       {32},
       0,
       kernel_with(32, 50000),
       "50000 bytes of static shared memory a block exceed the 49152 that the device allows"},
      {{4},
       {1024},
       0,
       kernel_with(65),
       "73728 registers a block (65 a thread) exceed the 65536 that the device has"},
  };
  for (const Obstacle& one : cases)
    EXPECT_EQ(launch_obstacle(device("a100"), one.kernel, one.grid, one.block, one.dynamic_shared_bytes),
              one.text);
}

}  // namespace
}  // namespace tailwave
