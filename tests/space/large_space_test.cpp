#include "space/large_space.h"

#include <gmock/gmock.h>

#include <limits>

#include "space/random_spaces.h"

namespace tailwave {
namespace {

// 10 parameters of 10 values that one constraint couples, beside one of 7 values that none does.
ParameterSpace coupled(const std::string& constraint) {
  std::vector<Parameter> parameters;
  std::string sum = "0";
  for (int i = 0; i < 10; ++i) {
    parameters.push_back({fmt::format("P{}", i), numbers_below(10)});
    sum += fmt::format(" + P{}", i);
  }
  parameters.push_back({"ALONE", numbers_below(7)});
  return {parameters, {Expression::parse(sum + constraint)}};
}

TEST(LargeSpace, HasAnExactCountOfWhatCanBeCounted) {
  Generator random(3);
  for (int i = 0; i < 100; ++i) {
    const ParameterSpace space = random_space(random);
    const Count count = LargeSpace(space).count();
    EXPECT_TRUE(count.is_exact);
    EXPECT_EQ(count.whole(), static_cast<std::int64_t>(space.count()));
  }
}

TEST(LargeSpace, HasALowerBoundOfTheGroupTimesTheOthers) {
  const Count count = LargeSpace(coupled(" <= 40")).count();
  EXPECT_FALSE(count.is_exact);
  EXPECT_GT(count.number, 1e6);
  EXPECT_EQ(count.whole() % 7, 0);
}

TEST(LargeSpace, DrawsWhatTheConstraintsAllowThatTheTreeLeavesOut) {
  LargeSpace space(coupled(" <= 40"));
  Generator random(1);
  std::vector<std::uint32_t> indices;
  int drawn = 0;
  for (int i = 0; i < 1000; ++i) {
    if (!space.draw(random, indices)) continue;
    ++drawn;
    EXPECT_TRUE(space.has(indices));
  }
  EXPECT_GT(drawn, 200);
  EXPECT_LT(drawn, 500);
}

TEST(LargeSpace, SearchesForWhatHardlyAnyDrawWouldFind) {
  LargeSpace space(coupled(" >= 70"));
  Generator random(1);
  std::vector<std::uint32_t> indices;
  ASSERT_TRUE(space.search(random, indices));
  EXPECT_TRUE(space.has(indices));
}

TEST(Count, IsShownAsWhatItIs) {
  EXPECT_EQ(to_string(Count{816293376000}), "816293376000");
  EXPECT_EQ(to_string(Count{5000000, false}), "at least 5000000");
  EXPECT_EQ(to_string(Count{8.163e20}), "about 8.16e+20");
  EXPECT_EQ(to_string(Count{8.163e20, false}), "at least 8.16e+20");
  EXPECT_EQ(Count{1e30}.whole(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace tailwave
