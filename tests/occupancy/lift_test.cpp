#include "occupancy/lift.h"

#include <gmock/gmock.h>

#include <tuple>

#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

BlockNeeds block_of(std::int64_t threads, int registers, std::int64_t shared_bytes = 0) {
  BlockNeeds needs;
  needs.kernel.registers = registers;
  needs.kernel.static_shared_bytes = shared_bytes;
  needs.block = {threads};
  return needs;
}

std::string text(const Lift& lift) {
  const std::string then = std::to_string(lift.occupancy.blocks_per_sm);
  const std::string bytes = std::to_string(lift.needs.shared_bytes());
  switch (lift.change) {
    case Lift::Change::registers:
      return std::to_string(lift.needs.kernel.registers) + " registers: " + then;
    case Lift::Change::shared_memory:
      return bytes + " bytes: " + then;
    case Lift::Change::registers_and_shared_memory:
      return std::to_string(lift.needs.kernel.registers) + " registers, " + bytes + " bytes: " + then;
    case Lift::Change::barriers:
      return std::to_string(lift.needs.kernel.barriers) + " barriers: " + then;
    case Lift::Change::block_size:
      return std::to_string(lift.needs.block.x) + " threads: " + then;
  }
  return "";
}

class FoundLifts : public testing::Test {
 protected:
  void SetUp() override {
    if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  }
  static std::vector<std::string> lifts(const char* device, const BlockNeeds& needs) {
    std::vector<std::string> texts;
    for (const Lift& lift : find_lifts(find_device(device), needs)) texts.push_back(text(lift));
    return texts;
  }
};

TEST_F(FoundLifts, AreTheFewestRegistersLessForOneMoreBlockAndForTheMost) {
  EXPECT_THAT(lifts("a100", block_of(128, 80)), ElementsAre("72 registers: 7", "32 registers: 16"));
}

TEST_F(FoundLifts, AreTheFewestBytesLess) {
  EXPECT_THAT(lifts("h100", block_of(256, 32, 49152)),
              ElementsAre("45568 bytes: 5", "28160 bytes: 8", "288 threads: 4", "512 threads: 4"));
}

TEST_F(FoundLifts, TakeStaticAndDynamicSharedMemoryTogether) {
  BlockNeeds needs = block_of(1024, 32, 16000);
  needs.dynamic_shared_bytes = 100000;
  const std::vector<Lift> found = find_lifts(find_device("h100"), needs);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].needs.kernel.static_shared_bytes, 16000);
  EXPECT_EQ(found[0].needs.dynamic_shared_bytes, 99712);
}

TEST_F(FoundLifts, AreBothResourcesWhereNeitherDoesItAlone) {
  const std::vector<std::string> found = lifts("t4", block_of(256, 96, 30000));
  EXPECT_THAT(found, testing::Contains("80 registers, 21760 bytes: 3"));
  EXPECT_THAT(found, testing::Not(testing::Contains(testing::HasSubstr(" registers: "))));
}

TEST_F(FoundLifts, AreBlocksOfOtherSizesWithMoreWarps) {
  EXPECT_THAT(lifts("h200", block_of(768, 32)),
              ElementsAre("512 threads: 4", "672 threads: 3", "800 threads: 2"));
  EXPECT_THAT(lifts("h200", block_of(32, 16)), ElementsAre("64 threads: 32"));
}

TEST_F(FoundLifts, StayWithinLaunchBounds) {
  BlockNeeds needs = block_of(32, 16);
  needs.kernel.max_threads = 32;
  EXPECT_THAT(lifts("h200", needs), IsEmpty());
}

TEST_F(FoundLifts, AreFewerBarriers) {
  BlockNeeds needs = block_of(64, 16);
  needs.kernel.barriers = 16;
  EXPECT_THAT(lifts("h100", needs), testing::IsSupersetOf({"12 barriers: 5", "2 barriers: 32"}));
}

TEST_F(FoundLifts, AreNoneWhereAllWarpsAreResident) {
  EXPECT_THAT(lifts("h200", block_of(128, 32)), IsEmpty());
}

TEST_F(FoundLifts, MakeABlockFitThatDoesNot) {
  const std::vector<std::string> found = lifts("a100", block_of(1024, 72));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], "64 registers: 1");
  EXPECT_THAT(found, testing::Contains("896 threads: 1"));
}

// The search halves ranges; this looks at every amount.
TEST_F(FoundLifts, AreTheLeastChangesThatThereAre) {
  const DeviceSpec device = find_device("a10");
  for (const auto& [threads, registers, bytes] :
       {std::tuple{96, 51, 5000}, {128, 80, 20000}, {256, 40, 30000}, {512, 90, 1000}, {640, 33, 49000}}) {
    const BlockNeeds now = block_of(threads, registers, bytes);
    const int blocks = compute_occupancy(device, now).blocks_per_sm;
    int fewer = registers;
    while (fewer > 0 && compute_occupancy(device, block_of(threads, fewer, bytes)).blocks_per_sm <= blocks)
      --fewer;
    int smaller = bytes;
    while (smaller >= 0 &&
           compute_occupancy(device, block_of(threads, registers, smaller)).blocks_per_sm <= blocks)
      --smaller;
    int first_registers = 0, first_bytes = -1;
    for (const Lift& lift : find_lifts(device, now)) {
      if (lift.change == Lift::Change::registers && first_registers == 0)
        first_registers = lift.needs.kernel.registers;
      if (lift.change == Lift::Change::shared_memory && first_bytes < 0)
        first_bytes = static_cast<int>(lift.needs.shared_bytes());
    }
    EXPECT_EQ(first_registers, fewer) << threads;
    EXPECT_EQ(first_bytes, smaller) << threads;
  }
}

TEST(FullGrids, AreTheNearestWithWholeWaves) {
  const FullGrids grids = find_full_grids(600, 2 * 132);
  EXPECT_EQ(grids.below, 528);
  EXPECT_EQ(grids.above, 792);
}

TEST(FullGrids, HaveNoneBelowTheFirstWave) {
  const FullGrids grids = find_full_grids(100, 4 * 108);
  EXPECT_FALSE(grids.below);
  EXPECT_EQ(grids.above, 432);
}

TEST(FullGrids, AreOthersThanTheGridItself) {
  const FullGrids grids = find_full_grids(864, 4 * 108);
  EXPECT_EQ(grids.below, 432);
  EXPECT_EQ(grids.above, 1296);
}

}  // namespace
}  // namespace tailwave
