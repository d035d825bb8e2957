#include "report/neighbours.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/measured_points.h"

namespace tailwave {
namespace {

using Row = std::vector<std::uint32_t>;

double sloping(const Row& values) {
  return 0.1 * values[0] + 0.08 * values[1] + 0.06 * values[2];
}
const Row kBest{4, 4, 3};

MeasuredPoints without_best(const std::function<double(const Row&)>& log_speed = sloping) {
  return samples::points({5, 5, 4}, log_speed, [](const Row& values) { return values == kBest; });
}

TEST(Neighbours, PredictWhatTheSameChangeGainedElsewhere) {
  const NeighbourModel model(without_best());
  const NeighbourChange change{samples::point_of(model.points(), {4, 4, 2}), 2, 3};
  const auto prediction = model.predict(change);
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(prediction->log_gain, 0.06, 1e-12);
  EXPECT_EQ(prediction->pairs, 12U);
  EXPECT_EQ(prediction->faster, 12U);
  EXPECT_TRUE(model.trust().in(prediction->log_gain, prediction->margin));
  EXPECT_FALSE(model.measured_end(change));
}

// The same change gains in the half where the first parameter is 1, and loses in the other.
TEST(Neighbours, AskThoseFirstThatAreLikeThePoint) {
  const auto turning = [](const Row& values) {
    return values[0] == 1 ? 0.06 * values[2] : -0.06 * values[2];
  };
  const auto last = [](const Row& values) { return values == Row{1, 13, 3}; };
  const NeighbourModel model(samples::points({2, 14, 4}, turning, last));
  const auto prediction = model.predict({samples::point_of(model.points(), {1, 13, 2}), 2, 3});
  ASSERT_TRUE(prediction);
  // Those 13 differ in the second parameter alone, and one in the first alone.
  EXPECT_EQ(prediction->faster, 11U);
  EXPECT_EQ(prediction->pairs, 12U);
}

TEST(Neighbours, SayNothingOfFewerThanThreePairs) {
  const NeighbourModel model(samples::points(
      {3, 2}, [](const Row& values) { return 0.1 * values[1]; },
      [](const Row& values) {
        return values == Row{2, 1};
      }));
  EXPECT_FALSE(model.predict({samples::point_of(model.points(), {2, 0}), 1, 1}));
}

TEST(Neighbours, AreNotTrustedWhereChangesDoNotRepeat) {
  const auto anything = [](const Row& values) {
    return std::sin(12.9898 * values[0] + 78.233 * values[1] + 37.719 * values[2] + 1);
  };
  const NeighbourModel model(without_best(anything));
  EXPECT_FALSE(model.trust().judged().empty());
  EXPECT_FALSE(model.trust().in(1, 1));
}

TEST(Neighbours, JudgeAChangeWithoutItsOwnPair) {
  const NeighbourModel model(without_best());
  // 19 points are the fastest fifth, each with 11 changes, of which 8 lead to the one left out.
  EXPECT_EQ(model.trust().judged().size(), 19U * 11 - 8);
  for (const JudgedChange& one : model.trust().judged()) EXPECT_NEAR(one.predicted, one.measured, 1e-9);
}

TEST(Neighbours, KnowWhichValuesWereMeasuredTogether) {
  const NeighbourModel model(samples::points(
      {3, 3}, [](const Row&) { return 0.0; },
      [](const Row& values) { return values[0] == 2 && values[1] == 2; }));
  EXPECT_FALSE(model.seen_together({samples::point_of(model.points(), {1, 2}), 0, 2}));
  EXPECT_FALSE(model.seen_together({samples::point_of(model.points(), {2, 1}), 1, 2}));
  EXPECT_TRUE(model.seen_together({samples::point_of(model.points(), {1, 1}), 0, 2}));
}

// Any two of the three values occur together, all three never.
TEST(Neighbours, KnowWhichThreeValuesAreNeverTogether) {
  const auto none = [](const Row& values) { return values[0] == 1 && values[1] == 1 && values[2] == 1; };
  const auto flat = [](const Row&) { return 0.0; };
  const NeighbourModel many(samples::points({2, 2, 2, 15}, flat, none));
  EXPECT_FALSE(many.seen_together({samples::point_of(many.points(), {0, 1, 1, 0}), 0, 1}));
  const NeighbourModel few(samples::points({2, 2, 2, 3}, flat, none));  // one would be there by chance
  EXPECT_TRUE(few.seen_together({samples::point_of(few.points(), {0, 1, 1, 0}), 0, 1}));
}

TEST(Neighbours, HaveAFastestFifthOfAtMostSoMany) {
  const NeighbourModel model(without_best());
  const auto fifth = model.fastest(300);
  EXPECT_EQ(fifth.size(), 19U);
  EXPECT_EQ(model.points().points[fifth.front()].values, (Row{4, 4, 2}));
  const auto few = model.fastest(7);
  EXPECT_EQ(few.size(), 7U);
  EXPECT_EQ(few.front(), fifth.front());
  EXPECT_EQ(model.fastest(7), few);
}

}  // namespace
}  // namespace tailwave
