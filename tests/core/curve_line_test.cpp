#include "core/curve_line.h"

#include <gtest/gtest.h>

#include <limits>

namespace tailwave {
namespace {

TEST(CurveLine, FallsFromTheHighestBlockToTheLowest) {
  EXPECT_EQ(curve_line({128, 64, 32, 16, 8, 4, 2, 1}, 20), "█▇▆▅▄▃▂▁");
  EXPECT_EQ(curve_line({5, 5}, 20), "▁▁");
  EXPECT_EQ(curve_line({}, 20), "");
}

TEST(CurveLine, HasTheLastValueOfEachPartWhereThereAreMoreThanColumns) {
  EXPECT_EQ(curve_line({128, 128, 128, 1}, 2), "█▁");
  EXPECT_EQ(curve_line({9, 9, 9}, 1), "▁");
}

TEST(CurveLine, IsBlankWhereThereIsNoValueYet) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  EXPECT_EQ(curve_line({kNone, 2, 1}, 3), " █▁");
}

}  // namespace
}  // namespace tailwave
