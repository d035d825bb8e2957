#include "report/surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/measured_points.h"

namespace tailwave {
namespace {

using Row = std::vector<std::uint32_t>;

double rising(const Row& values) {
  return 0.2 * values[0] + 0.15 * values[1] + 0.1 * values[2] + 0.1 * values[3];
}

// No two points differ in a single parameter.
MeasuredPoints sparse(const std::function<double(const Row&)>& log_speed) {
  return samples::points({6, 6, 6, 6}, log_speed, [](const Row& values) {
    return (values[0] + values[1] + values[2] + values[3]) % 6 != 0 ||
           values[0] + values[1] + values[2] == 15;
  });
}

TEST(Surface, PredictsWhereNoPairDiffersInOneParameter) {
  const MeasuredPoints points = sparse(rising);
  const NeighbourModel pairs(points);
  const SpeedSurface surface(points);
  const NeighbourChange change{samples::point_of(points, {1, 4, 4, 3}), 0, 4};
  EXPECT_FALSE(pairs.predict(change));
  const auto prediction = surface.predict(change, std::log(1.02));
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(prediction->log_gain, 0.6, 0.1);
  EXPECT_TRUE(surface.trust().in(prediction->log_gain, prediction->margin));
}

TEST(Surface, PredictsNoLessThanIsAskedFor) {
  const MeasuredPoints points = sparse(rising);
  const SpeedSurface surface(points);
  const NeighbourChange worse{samples::point_of(points, {4, 4, 4, 0}), 0, 1};
  EXPECT_FALSE(surface.predict(worse, std::log(1.02)));
  const auto prediction = surface.predict(worse, -10);
  ASSERT_TRUE(prediction);
  EXPECT_LT(prediction->log_gain, -0.4);
  EXPECT_LT(prediction->margin, 0);
}

TEST(Surface, IsNotTrustedWhereSpeedsFollowNothing) {
  const MeasuredPoints points = sparse([](const Row& values) {
    return std::sin(
        1e4 * std::sin(12.9898 * values[0] + 78.233 * values[1] + 37.719 * values[2] + 3.7 * values[3]));
  });
  const SpeedSurface surface(points);
  EXPECT_FALSE(surface.trust().judged().empty());
  EXPECT_FALSE(surface.trust().in(1, 3));
}

TEST(Surface, NeverTrustsAMarginThatANormalErrorReachesOften) {
  const MeasuredPoints points = sparse(rising);
  const SpeedSurface surface(points);
  EXPECT_FALSE(surface.trust().in(1, 1.64));
  EXPECT_TRUE(surface.trust().in(1, 100));
}

TEST(Surface, IsNoneThroughFewPoints) {
  const MeasuredPoints points = samples::points(
      {19}, [](const Row& values) { return 0.1 * values[0]; }, [](const Row&) { return false; });
  const SpeedSurface surface(points);
  EXPECT_EQ(surface.size(), 0U);
  EXPECT_FALSE(surface.predict({0, 0, 1}, -10));
  EXPECT_TRUE(surface.trust().judged().empty());
}

TEST(Surface, TakesSoManyPointsOfMoreEvenlyOverTheirSpeeds) {
  const MeasuredPoints points = samples::points(
      {30, 30}, [](const Row& values) { return 0.1 * values[0] + 0.01 * values[1]; },
      [](const Row&) { return false; });
  const SpeedSurface surface(points);
  EXPECT_EQ(surface.size(), SpeedSurface::kMostPoints);
}

}  // namespace
}  // namespace tailwave
