#include "listing/line_diff.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Lines = std::vector<std::string>;

std::size_t equal_lines(const std::vector<DiffRow>& rows) {
  return static_cast<std::size_t>(std::ranges::count(rows, true, &DiffRow::equal));
}

// The longest common subsequence, by its definition.
std::size_t most_equal(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      longest[i + 1][j + 1] =
          a[i] == b[j] ? longest[i][j] + 1 : std::max(longest[i][j + 1], longest[i + 1][j]);
  return longest[a.size()][b.size()];
}

TEST(LineDiff, HasEqualLinesBesideEachOther) {
  EXPECT_THAT(
      diff_lines({"a", "b", "c"}, {"a", "x", "c", "d"}),
      ElementsAre(DiffRow{0, 0, true}, DiffRow{1, 1, false}, DiffRow{2, 2, true}, DiffRow{{}, 3, false}));
  EXPECT_THAT(diff_lines({"a", "b"}, {"b"}), ElementsAre(DiffRow{0, {}, false}, DiffRow{1, 0, true}));
}

TEST(LineDiff, OfNothingHasTheOtherSideAlone) {
  EXPECT_THAT(diff_lines({}, {}), IsEmpty());
  EXPECT_THAT(diff_lines({}, {"a"}), ElementsAre(DiffRow{{}, 0, false}));
  EXPECT_THAT(diff_lines({"a"}, {}), ElementsAre(DiffRow{0, {}, false}));
}

TEST(LineDiff, HasAllLinesInOrderAndAsManyEqualOnesAsCanBe) {
  std::mt19937 random(1);
  const auto some_lines = [&] {
    Lines lines(random() % 12);
    const auto letters = 1 + random() % 4;
    for (std::string& line : lines) line.assign(1 + random() % letters, 'a');
    return lines;
  };
  for (int round = 0; round < 5000; ++round) {
    const Lines a = some_lines(), b = some_lines();
    const std::vector<DiffRow> rows = diff_lines(a, b);
    ASSERT_EQ(equal_lines(rows), most_equal(a, b));
    std::size_t next_a = 0, next_b = 0;
    for (const DiffRow& row : rows) {
      ASSERT_TRUE(!row.equal || a[*row.a] == b[*row.b]);
      ASSERT_TRUE(!row.a || *row.a == next_a++);
      ASSERT_TRUE(!row.b || *row.b == next_b++);
    }
    ASSERT_EQ(next_a, a.size());
    ASSERT_EQ(next_b, b.size());
  }
}

}  // namespace
}  // namespace tailwave
