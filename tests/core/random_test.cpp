#include "core/random.h"

#include <gtest/gtest.h>

#include <map>

namespace tailwave {
namespace {

// The first outputs for seed 0, from the reference implementations of both authors' generators.
TEST(Generator, GivesTheNumbersOfItsReference) {
  Generator generator(0);
  EXPECT_EQ(generator.next(), 0x99ec5f36cb75f2b4ULL);
  EXPECT_EQ(generator.next(), 0xbf6e1f784956452aULL);
}

TEST(Generator, DrawsEveryNumberBelowACountEquallyOften) {
  Generator generator(1);
  std::vector<int> drawn(7);
  for (int i = 0; i < 70000; ++i) ++drawn[generator.below(7)];
  for (const int times : drawn) EXPECT_NEAR(times, 10000, 400);
}

// A model in another language gave the order.
TEST(Shuffle, GivesTheSameOrderForASeedEverywhere) {
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7};
  Generator generator(1);
  shuffle(items, generator);
  EXPECT_EQ(items, (std::vector<int>{4, 7, 0, 2, 1, 6, 3, 5}));
}

TEST(Shuffle, GivesEveryOrderEquallyOften) {
  Generator generator(1);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 60000; ++i) {
    std::vector<int> items{0, 1, 2};
    shuffle(items, generator);
    ++orders[items];
  }
  ASSERT_EQ(orders.size(), 6U);
  for (const auto& [order, times] : orders) EXPECT_NEAR(times, 10000, 400);
}

TEST(Shuffle, LeavesNothingAndOneItemAlone) {
  Generator generator(1);
  std::vector<int> none, one{5};
  shuffle(none, generator);
  shuffle(one, generator);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(one, std::vector<int>{5});
}

}  // namespace
}  // namespace tailwave
