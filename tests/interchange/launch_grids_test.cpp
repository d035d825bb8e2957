#include "interchange/launch_grids.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

System system_with_grid(const std::string& text) {
  System system;
  system.name = "nbody";
  system.problem["N"] = {ScalarType::int32, 4096};
  VariantSpec variant;
  variant.name = "shared";
  const Expression one = Expression::constant(1);
  for (const std::string& grid : {std::string("1"), text}) {
    LaunchSpec launch;
    launch.kernel = "k" + grid;
    launch.grid = {Expression::parse(grid), one, one};
    variant.launches.push_back(launch);
  }
  system.variants.push_back(variant);
  return system;
}

std::vector<ChoiceTrial> trials() {
  std::vector<ChoiceTrial> all;
  for (const int n : {1024, 4096})
    all.push_back({{"nbody", "shared", {{"BLOCK_SIZE", 128}}, {{"N", n}}}, "", {}, n / 128.0, {}});
  return all;
}

TEST(LaunchGrids, AreThoseWithTheBlocksThatWereRecorded) {
  std::vector<ChoiceTrial> all = trials();
  const auto grids = known_grids(system_with_grid("ceil_div(N, BLOCK_SIZE)"), all);
  ASSERT_EQ(grids.size(), 1U);
  EXPECT_EQ(grids.at("shared")[0].text(), "ceil_div(N, BLOCK_SIZE)");
  EXPECT_EQ(all[0].blocks, 8);
}

TEST(LaunchGrids, SayHowMuchOfAProblemHangsOverItsFullBlocks) {
  std::vector<ChoiceTrial> all = trials();
  all[0].configuration.problem["N"] = 1000;
  all.push_back(all[0]);
  all[2].configuration.problem["N"] = 100;
  all[2].blocks = 1;
  known_grids(system_with_grid("ceil_div(N, BLOCK_SIZE)"), all);
  EXPECT_DOUBLE_EQ(all[0].overhang, 1000.0 / 896);
  EXPECT_EQ(all[1].overhang, 1);  // 32 blocks, all full
  EXPECT_EQ(all[2].overhang, 1);  // none is full
}

TEST(LaunchGrids, SayNothingOfWhatHangsOverWhereNothingIsRoundedUp) {
  for (const char* grid : {"N // BLOCK_SIZE", "min(ceil_div(N, BLOCK_SIZE), 4) * 0 + N // BLOCK_SIZE"}) {
    std::vector<ChoiceTrial> all = trials();
    EXPECT_EQ(known_grids(system_with_grid(grid), all).size(), 1U);
    EXPECT_EQ(all[0].overhang, 1) << grid;
  }
}

TEST(LaunchGrids, SayNothingOfWhatHangsOverWhereThatNeedsWholeNumbers) {
  for (const char* grid : {"pow2(ceil_div(N, 1000)) * 0 + 8", "8 // ceil_div(N, 1025)"}) {
    std::vector<ChoiceTrial> all = trials();
    all.resize(1);
    all[0].configuration.problem["N"] = 1001;
    EXPECT_EQ(known_grids(system_with_grid(grid), all).size(), 1U) << grid;
    EXPECT_EQ(all[0].overhang, 1) << grid;
  }
}

TEST(LaunchGrids, SayWhatHangsOverWhereADivisorIsRoundedUp) {
  std::vector<ChoiceTrial> all = trials();
  all.resize(1);
  all[0].configuration.problem["N"] = 1001;
  EXPECT_EQ(known_grids(system_with_grid("ceil_div(N, ceil_div(N, 8))"), all).size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].overhang, 1001.0 / 126 / 7);
}

TEST(LaunchGrids, SayHowMuchHangsOverWhereNoBlocksWereRecorded) {
  std::vector<ChoiceTrial> all = trials();
  all.push_back(all[0]);
  all[2].configuration.problem["N"] = 1000;
  all[2].blocks.reset();
  known_grids(system_with_grid("ceil_div(N, BLOCK_SIZE)"), all);
  EXPECT_DOUBLE_EQ(all[2].overhang, 1000.0 / 896);
}

TEST(LaunchGrids, AreNotKnownWhereTheManifestIsAnotherOneByNow) {
  for (const char* grid :
       {"ceil_div(N, 2 * BLOCK_SIZE)", "N // OTHER", "gcd(N, BLOCK_SIZE) * N // 16384 + 8"}) {
    std::vector<ChoiceTrial> all = trials();
    EXPECT_TRUE(known_grids(system_with_grid(grid), all).empty()) << grid;
    EXPECT_FALSE(all[1].blocks);
  }
}

TEST(LaunchGrids, AreNotKnownWhereTheyCannotBeWritten) {
  std::vector<ChoiceTrial> all = trials();
  EXPECT_TRUE(known_grids(system_with_grid("sum([N // BLOCK_SIZE])"), all).empty());
  EXPECT_FALSE(all[0].blocks);
}

TEST(LaunchGrids, AreNotKnownOfAVariantThatTheManifestLacks) {
  std::vector<ChoiceTrial> all = trials();
  for (ChoiceTrial& one : all) one.configuration.variant = "gone";
  EXPECT_TRUE(known_grids(system_with_grid("ceil_div(N, BLOCK_SIZE)"), all).empty());
  EXPECT_FALSE(all[0].blocks);
}

}  // namespace
}  // namespace tailwave
