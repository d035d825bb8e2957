#include "core/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::ElementsAre;

ParetoCost exactly(double value) {
  return {value, value, value};
}
ParetoCost about(double value, double half) {
  return {value, value - half, value + half};
}

TEST(Pareto, KeepsWhatNothingBeatsInAll) {
  const std::vector<ParetoPoint> points{
      {exactly(1), exactly(9)}, {exactly(2), exactly(4)}, {exactly(3), exactly(4)}, {exactly(9), exactly(1)}};
  EXPECT_THAT(pareto_front(points), ElementsAre(true, true, false, true));
}

TEST(Pareto, KeepsWhatIsTiedWithTheFront) {
  const std::vector<ParetoPoint> points{
      {about(10, 1), exactly(1)},
      {about(11, 1), exactly(1)},     // their intervals meet
      {about(13, 1), exactly(1)},     // surely slower
      {about(11.5, 1), exactly(2)}};  // tied in one, surely worse in the other
  EXPECT_THAT(pareto_front(points), ElementsAre(true, true, false, false));
}

TEST(Pareto, DominanceNeedsToBeSureOnceAndNowhereTheOtherWayRound) {
  EXPECT_TRUE(dominates({exactly(1), about(5, 1)}, {exactly(2), about(4.5, 1)}));
  EXPECT_FALSE(dominates({exactly(1), exactly(5)}, {exactly(2), exactly(4.5)}));
  EXPECT_FALSE(dominates({about(1, 1), about(5, 1)}, {about(2, 1), about(5, 1)}));
  EXPECT_FALSE(surely_better(about(1, 1), about(3, 1)));  // 2 may be either
}

TEST(Pareto, WhatIsDominatedStillDominates) {
  const auto between = [](double low, double high) { return ParetoCost{(low + high) / 2, low, high}; };
  const std::vector<ParetoPoint> chain{
      {between(1, 2), between(5, 9)}, {between(3, 4), between(5, 6)}, {between(2, 5), between(7, 8)}};
  ASSERT_TRUE(dominates(chain[0], chain[1]) && dominates(chain[1], chain[2]));
  ASSERT_FALSE(dominates(chain[0], chain[2]));
  EXPECT_THAT(pareto_front(chain), ElementsAre(true, false, false));
}

TEST(Pareto, OfACircleKeepsThoseThatNoOtherBeatsByValues) {
  const auto low = exactly(1), high = exactly(2), any = about(1.5, 1);
  const std::vector<ParetoPoint> circle{{low, any, high}, {high, low, any}, {any, high, low}};
  ASSERT_TRUE(dominates(circle[0], circle[1]) && dominates(circle[1], circle[2]) &&
              dominates(circle[2], circle[0]));
  EXPECT_THAT(pareto_front(circle), ElementsAre(true, true, true));
  const std::vector<ParetoPoint> beside{
      circle[0], circle[1], circle[2], {exactly(0), exactly(0), exactly(0)}};
  EXPECT_THAT(pareto_front(beside), ElementsAre(false, false, false, true));
}

TEST(Pareto, OfOneObjectiveIsTheTiedSet) {
  const std::vector<ParetoPoint> points{{about(10, 1)}, {about(11.5, 1)}, {about(13, 1)}};
  EXPECT_THAT(pareto_front(points), ElementsAre(true, true, false));
  EXPECT_TRUE(pareto_front({}).empty());
}

}  // namespace
}  // namespace tailwave
