#include "tune/noted_entries.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(ChooseNoted, TakesAllBlocksOfAGridThatIsNotLarge) {
  EXPECT_EQ(choose_noted(4095, 1056, 0), NotedBlocks{.blocks = 4095});
  EXPECT_EQ(choose_noted(100, 1056, 3), NotedBlocks{.blocks = 100});
}

TEST(ChooseNoted, TakesAllBlocksOfMoreWhereThatIsAskedFor) {
  EXPECT_EQ(choose_noted(65'536, 1056, kAllNote), NotedBlocks{.blocks = 65'536});
  EXPECT_EQ(choose_noted(65'537, 1056, kAllNote), choose_noted(65'537, 1056, 0));
}

TEST(ChooseNoted, SamplesALargeGridAndTakesItsLastWave) {
  EXPECT_EQ(choose_noted(4096, 1056, 0), (NotedBlocks{.blocks = 4096, .shift = 2, .last = 1056}));
  EXPECT_EQ(choose_noted(65536, 1056, 0), (NotedBlocks{.blocks = 65536, .shift = 6, .last = 1056}));
  EXPECT_EQ(choose_noted(4096, 4224, 0).last, 2048);
  EXPECT_EQ(choose_noted(2'000'000'000, 1056, 0).shift, NotedBlocks::kMostShift);
}

TEST(ChooseNoted, LeavesEnoughBlocksHoweverSparse) {
  EXPECT_EQ(choose_noted(65536, 1056, 3).shift, 9);
  EXPECT_EQ(choose_noted(65536, 1056, 9).shift, 9);
  EXPECT_EQ(choose_noted(1000, 132, 3), (NotedBlocks{.blocks = 1000, .shift = 2, .last = 132}));
}

TEST(NotedEntries, KnowTheShapeOfAnEntryThatHasOne) {
  const std::map<std::string, NotedEntry> entries =
      noted_entries({{"a", {100, 2}, {48}, 132}, {"a", {100, 2}, {48}, 132}, {"b", {9000}, {256}, 132}}, 0);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries.at("a").noted, NotedBlocks{.blocks = 200});
  EXPECT_EQ(entries.at("a").warps, 2);
  EXPECT_EQ(entries.at("a").grid, (Dim3{100, 2}));
  EXPECT_EQ(entries.at("b").noted.shift, 3);
}

TEST(NotedEntries, NoteAllBlocksOfAnEntryWithSeveralShapes) {
  const std::map<std::string, NotedEntry> entries =
      noted_entries({{"a", {9000}, {64}, 132}, {"a", {500}, {256}, 132}}, 0);
  EXPECT_EQ(entries.at("a").noted, NotedBlocks{.blocks = 9000});
  EXPECT_EQ(entries.at("a").warps, 8);
  EXPECT_FALSE(entries.at("a").grid);
}

}  // namespace
}  // namespace tailwave
