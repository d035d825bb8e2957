#include "device/cuda/block_notes.h"

#include <gtest/gtest.h>

#include "fakes/one_variant.h"

namespace tailwave {
namespace {

constexpr std::uint64_t kBefore = 0x1'ffff'ff00;  // the lower half overflows soon
constexpr TraceTimes kTimes{kBefore, kBefore + 2000};

NotedWarp warp(std::uint32_t sm, std::uint64_t start_ns, std::uint64_t end_ns) {
  return {sm, static_cast<std::uint32_t>(kBefore + start_ns), static_cast<std::uint32_t>(kBefore + end_ns),
          1};
}

std::vector<BlockTime> blocks_of(const std::vector<NotedWarp>& notes, const NotedEntry& entry, int warps) {
  return blocks_of_notes(notes, entry, warps, kTimes, "k");
}

TEST(BlockNotes, ABlockBeginsWithItsFirstWarpAndEndsWithItsLast) {
  const NotedEntry entry{.noted = {.blocks = 2}, .warps = 3};
  const std::vector<BlockTime> blocks = blocks_of(
      {warp(5, 320, 400), warp(5, 300, 500), {}, warp(7, 330, 420), warp(7, 340, 430), {}}, entry, 2);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0],
            (BlockTime{.start_ns = 300, .end_ns = 500, .left_ns = 450, .block = 0, .weight = 1, .sm = 5}));
  EXPECT_EQ(blocks[1],
            (BlockTime{.start_ns = 330, .end_ns = 430, .left_ns = 425, .block = 1, .weight = 1, .sm = 7}));
}

TEST(BlockNotes, StandForTheBlocksThatDoNotNote) {
  const NotedEntry entry{.noted = {.blocks = 18, .shift = 2, .last = 2}, .warps = 1};
  std::vector<NotedWarp> notes;
  for (std::uint32_t place = 0; place < 7; ++place) notes.push_back(warp(place, 300, 400));
  const std::vector<BlockTime> blocks = blocks_of(notes, entry, 1);
  ASSERT_EQ(blocks.size(), 6U);
  EXPECT_EQ(blocks[0].weight, 4);
  EXPECT_EQ(blocks[3].weight, 4);
  EXPECT_EQ(blocks[4],
            (BlockTime{.start_ns = 300, .end_ns = 400, .left_ns = 400, .block = 16, .weight = 1, .sm = 5}));
  EXPECT_EQ(blocks[5].block, 17);
}

TEST(BlockNotes, MissNone) {
  const NotedEntry entry{.noted = {.blocks = 1}, .warps = 2};
  EXPECT_EQ(fakes::failure_of([&] {
              blocks_of({warp(0, 1, 2), {}}, entry, 2);
            }),
            "launch_failed: block 0 of 'k' noted 1 of its 2 warps");
}

TEST(BlockNotes, TellNothingOfALaunchOfMoreThanFourSeconds) {
  const TraceTimes times{0, 5'000'000'000};
  EXPECT_EQ(fakes::failure_of([&] { blocks_of_notes({}, {}, 1, times, "k"); }),
            "launch_failed: 'k' takes more than the 4.3 s that a trace can tell");
}

TEST(LaunchDuration, IsThatOfTheNotedBlocksUnlessAWarpThatLivedForLongEndedLater) {
  const std::vector<BlockTime> blocks{{.start_ns = 1000, .end_ns = 31'000}};
  EXPECT_EQ(launch_duration_ns(blocks, {500, 34'000, 30'000}), 30'000);
  EXPECT_EQ(launch_duration_ns(blocks, {500, 34'000, 33'500}), 32'000);
  EXPECT_EQ(launch_duration_ns(blocks, {500, 34'000, 20'000, 33'500, 30'000}), 32'000);  // by SM
}

TEST(LaunchDuration, IsTheTimeBehindItWhereNobodyElseTellsAndThatIsMuchLater) {
  const std::vector<BlockTime> blocks{{.start_ns = 1000, .end_ns = 31'000}};
  EXPECT_EQ(launch_duration_ns(blocks, {500, 48'000, 0}), 30'000);
  EXPECT_EQ(launch_duration_ns(blocks, {500, 60'500, 0}), 59'000);
}

TEST(LongLife, IsWhatOneInAHundredExceeds) {
  std::vector<BlockTime> blocks;
  for (std::int64_t i = 0; i < 1000; ++i) blocks.push_back({.start_ns = 10, .end_ns = 10 + i});
  EXPECT_EQ(long_life_of(blocks), 989U);
  EXPECT_EQ(long_life_of({{.start_ns = 10, .end_ns = 17}}), 7U);
  EXPECT_EQ(long_life_of({}), kNoLongLife);
}

}  // namespace
}  // namespace tailwave
