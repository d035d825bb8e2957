#include "interchange/size_axes.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace tailwave {
namespace {

using Names = std::vector<std::string>;

TEST(SizeAxes, AreTheQuantitiesWithTheirValuesInOrder) {
  const SizeAxes sizes =
      size_axes({{{"K", 8}, {"N", 4096}}, {{"K", 8}, {"N", 1024}}, {{"K", 16}, {"N", 1024}}});
  ASSERT_EQ(sizes.axes.size(), 2U);
  EXPECT_EQ(sizes.axes[1].quantities, Names{"N"});
  EXPECT_EQ(sizes.axes[1].places, (std::vector<std::vector<Value>>{{1024}, {4096}}));
  EXPECT_TRUE(sizes.axes[1].between);
  EXPECT_EQ(sizes.points, (std::vector<std::vector<std::size_t>>{{0, 1}, {0, 0}, {1, 0}}));
  EXPECT_EQ(sizes.key({1, 0}), 2);
}

TEST(SizeAxes, HaveQuantitiesThatGrowTogetherAsOne) {
  const SizeAxes sizes = size_axes({{{"K", 64}, {"M", 64}, {"N", 128}},
                                    {{"K", 64}, {"M", 128}, {"N", 256}},
                                    {{"K", 64}, {"M", 96}, {"N", 192}}});
  ASSERT_EQ(sizes.axes.size(), 2U);
  EXPECT_EQ(sizes.axes[0].quantities, Names{"K"});
  EXPECT_EQ(sizes.axes[1].quantities, (Names{"M", "N"}));
  EXPECT_EQ(sizes.axes[1].places, (std::vector<std::vector<Value>>{{64, 128}, {96, 192}, {128, 256}}));
}

TEST(SizeAxes, KeepApartWhatGrowsWhileTheOtherFalls) {
  const SizeAxes sizes = size_axes({{{"M", 64}, {"N", 128}}, {{"M", 128}, {"N", 64}}});
  EXPECT_EQ(sizes.axes.size(), 2U);
}

TEST(SizeAxes, HaveNothingBetweenTextsOrTruths) {
  const SizeAxes sizes = size_axes({{{"HALF", false}, {"ORDER", std::string("rows")}},
                                    {{"HALF", true}, {"ORDER", std::string("columns")}}});
  ASSERT_EQ(sizes.axes.size(), 2U);
  EXPECT_FALSE(sizes.axes[0].between);
  EXPECT_FALSE(sizes.axes[1].between);
  EXPECT_EQ(sizes.points, (std::vector<std::vector<std::size_t>>{{0, 1}, {1, 0}}));
}

TEST(SizeAxes, AreOnlyOfProblemsWithTheSameQuantities) {
  EXPECT_THROW(size_axes({{{"N", 1}}, {{"M", 1}}}), std::invalid_argument);
  EXPECT_TRUE(size_axes({}).axes.empty());
}

TEST(SizeAxes, HaveLogarithmsForCoordinatesAndAPlaceForZero) {
  EXPECT_NEAR(size_coordinate(4096) - size_coordinate(2048), size_coordinate(2048) - size_coordinate(1024),
              1e-12);
  EXPECT_EQ(size_coordinate(0), 0);
  EXPECT_EQ(size_coordinate(1), 1);
  EXPECT_EQ(size_coordinate(-8), -size_coordinate(8));
}

}  // namespace
}  // namespace tailwave
