#include "space/assignment.h"

#include <gmock/gmock.h>

namespace tailwave {
namespace {

using testing::ElementsAre;

ParameterSpace two_of_three() {
  const std::vector<Value> numbers{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}};
  return {{{"A", numbers}, {"B", numbers}}, {Expression::parse("A + B == 4")}};
}

TEST(Assignment, AdvancesThroughWhatIsValidAndStaysAtTheEnd) {
  const ParameterSpace space = two_of_three();
  Assignment walk(space);
  for (const std::uint32_t first : {0U, 1U, 2U}) {
    ASSERT_TRUE(walk.advance());
    EXPECT_THAT(walk.indices(), ElementsAre(first, 2 - first));
  }
  EXPECT_FALSE(walk.advance());
  EXPECT_FALSE(walk.advance());
}

TEST(Assignment, HasOneConfigurationOfNoParameters) {
  const ParameterSpace space({}, {});
  Assignment walk(space);
  EXPECT_TRUE(walk.advance());
  EXPECT_FALSE(walk.advance());
  const ParameterSpace impossible({}, {Expression::parse("1 > 2")});
  EXPECT_FALSE(Assignment(impossible).advance());
}

TEST(Assignment, EndsWhenItIsStopped) {
  std::vector<Value> many;
  for (std::int64_t i = 0; i < 1000; ++i) many.emplace_back(i);
  const ParameterSpace space({{"A", many}, {"B", many}}, {Expression::parse("A + B == 1998")});
  Assignment walk(space);
  int asked = 0;
  EXPECT_FALSE(walk.advance([&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(walk.advance());
  EXPECT_FALSE(space.for_each([](const auto&) { return true; }, [] { return true; }));
}

TEST(Assignment, SaysWhetherASpaceHasAConfiguration) {
  const ParameterSpace space = two_of_three();
  Assignment checked(space);
  EXPECT_TRUE(checked.give_all(std::vector<std::uint32_t>{0, 2}));
  EXPECT_FALSE(checked.give_all(std::vector<std::uint32_t>{1, 2}));
}

}  // namespace
}  // namespace tailwave
