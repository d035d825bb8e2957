#include "space/joined_spaces.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "space/random_spaces.h"

namespace tailwave {
namespace {

using Row = PointSource::Row;

// Of the columns A (4 values) and B (3 values): all with A < 3, and those with A > 1 and B fixed to its last value.
std::vector<SpacePart> two_parts() {
  const Parameter a{"A", numbers_below(4)};
  SpacePart some = SpacePart::of(ParameterSpace({a, {"B", numbers_below(3)}}, {Expression::parse("A < 3")}));
  SpacePart others{ParameterSpace({a}, {Expression::parse("A > 1")}), {0, 2}, {0}, {{0, 1, 2, 3}}};
  return {some, others};
}

std::vector<Row> all_of(JoinedSpaces& spaces) {
  std::vector<Row> rows;
  Row row;
  for (const auto next = spaces.in_order(); next(row);) rows.push_back(row);
  return rows;
}

TEST(JoinedSpaces, HaveWhatTwoOfThemHaveOnce) {
  JoinedSpaces spaces(two_parts());
  const std::vector<Row> rows = all_of(spaces);
  EXPECT_EQ(rows.size(), 10U);
  EXPECT_EQ(std::set<Row>(rows.begin(), rows.end()).size(), 10U);
  EXPECT_EQ(rows.back(), (Row{3, 2}));
  for (const Row& row : rows) EXPECT_TRUE(spaces.has(row));
  EXPECT_FALSE(spaces.has(Row{3, 1}));
}

TEST(JoinedSpaces, HaveALowerBoundForACountWhereTheyMayMeet) {
  EXPECT_EQ(to_string(JoinedSpaces(two_parts()).count()), "at least 9");
  std::vector<SpacePart> apart = two_parts();
  apart[0].digits[1] = {0, 1, 3};
  EXPECT_EQ(to_string(JoinedSpaces(apart).count()), "11");
}

TEST(JoinedSpaces, DrawEachEquallyOften) {
  JoinedSpaces spaces(two_parts());
  Generator random(1);
  std::map<Row, std::size_t> counts;
  constexpr std::size_t kDraws = 10'000;
  Row row;
  for (std::size_t i = 0; i < kDraws; ++i) {
    ASSERT_TRUE(spaces.draw(random, row));
    ++counts[row];
  }
  ASSERT_EQ(counts.size(), 10U);
  std::vector<std::size_t> numbers;
  for (const auto& [drawn, count] : counts) numbers.push_back(count);
  EXPECT_LT(chi_square(numbers, kDraws), 27.9);  // 9 degrees of freedom: one in a thousand
}

TEST(JoinedSpaces, FindNothingWhereNothingIs) {
  std::vector<SpacePart> parts;
  parts.push_back(SpacePart::of(ParameterSpace({{"A", numbers_below(3)}}, {Expression::parse("A > 2")})));
  JoinedSpaces spaces(std::move(parts));
  Generator random(1);
  Row row;
  EXPECT_FALSE(spaces.draw(random, row));
  EXPECT_EQ(to_string(spaces.count()), "0");
  EXPECT_TRUE(all_of(spaces).empty());
}

}  // namespace
}  // namespace tailwave
