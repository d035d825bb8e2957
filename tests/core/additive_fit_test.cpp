#include "core/additive_fit.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(AdditiveResidual, OfAFullTableIsTheInteraction) {
  // Mean 1, each heading moves it by 1 up or down: 1, 1 off 0, 2; so every cell is 1 off the sum.
  EXPECT_NEAR(additive_residual({{0, 0, 1, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}, {1, 1, 1, 4}}), 4, 1e-12);
}

TEST(AdditiveResidual, OfFourCellsFollowsFromTheirContrast) {
  // (0 - 0 - 0 + 4)^2 over the sum of the inverse weights.
  EXPECT_NEAR(additive_residual({{0, 0, 1, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}, {1, 1, 2, 4}}), 16 / 3.5, 1e-12);
}

TEST(AdditiveResidual, IsZeroForASumWhateverCellsAreMissing) {
  const double rows[] = {0, 3, -2};
  const double columns[] = {1, 10, 100, 7};
  std::vector<TableCell> cells;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      if ((row + column) % 3 != 0)
        cells.push_back({row, column, 1.0 + static_cast<double>(row * column), rows[row] + columns[column]});
  EXPECT_NEAR(additive_residual(cells), 0, 1e-18);
}

TEST(AdditiveResidual, IsZeroWhereNoTwoCellsShareBothHeadings) {
  EXPECT_NEAR(additive_residual({{0, 0, 1, 5}, {1, 1, 2, 7}, {2, 2, 1, -4}}), 0, 1e-18);
  EXPECT_NEAR(additive_residual({{0, 0, 1, 0}, {0, 1, 1, 1}, {1, 0, 1, 5}}), 0, 1e-18);
  EXPECT_EQ(additive_residual({}), 0);
}

}  // namespace
}  // namespace tailwave
