#include "search/build_replay.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"
#include "search/landscape.h"

namespace tailwave {
namespace {

using ::testing::ElementsAre;
using ::testing::Lt;
using ::testing::SizeIs;

RecordedSpace scrambled(std::size_t count) {
  RecordedSpace space{"numbers", "none", SearchSpace(std::vector<Parameter>{}), {}, {}};
  space.space =
      SearchSpace::of(ParameterSpace({fakes::numbers_to("N", static_cast<std::int64_t>(count))}, {}));
  for (std::size_t i = 0; i < count; ++i) space.costs.push_back(1.0 + static_cast<double>(i * 7919 % count));
  return space;
}

double one_second(Point /*point*/) {
  return 1;
}

BuildReplay with(std::size_t processes, TellingOrder order,
                 std::function<double(Point)> build_s = one_second) {
  return {.processes = processes, .order = order, .build_s = std::move(build_s), .measure_s = [](Point) {
            return 0.125;
          }};
}

std::vector<TimedEvaluation> replayed(const RecordedSpace& space, const BuildReplay& builds,
                                      const std::string& strategy = "exhaustive",
                                      std::size_t evaluations = 400, std::uint64_t seed = 1) {
  const StrategyKind& kind = find_strategy(strategy);
  return replay_builds(space, kind, complete_options(kind, {}), seed, evaluations, builds);
}

std::vector<Point> points_of(const std::vector<TimedEvaluation>& evaluations) {
  std::vector<Point> points;
  for (const TimedEvaluation& one : evaluations) points.push_back(one.point);
  return points;
}

TEST(PointsAhead, AreAnEighthOfThoseMeasuredButAtLeastOneAndAtMost32) {
  EXPECT_EQ(points_ahead(0), 1U);
  EXPECT_EQ(points_ahead(15), 1U);
  EXPECT_EQ(points_ahead(16), 2U);
  EXPECT_EQ(points_ahead(255), 31U);
  EXPECT_EQ(points_ahead(100'000), 32U);
}

TEST(BuildReplay, BuildsAndMeasuresOneAfterTheOtherAsLongAsNothingIsAskedForAhead) {
  const auto evaluations = replayed(scrambled(9), with(4, TellingOrder::built), "exhaustive", 2);
  ASSERT_THAT(evaluations, SizeIs(2));
  EXPECT_EQ(evaluations[0].built_s, 1);
  EXPECT_EQ(evaluations[0].told_s, 1.125);
  EXPECT_EQ(evaluations[1].asked_s, 1.125);
  EXPECT_EQ(evaluations[1].build_begun_s, 1.125);
  EXPECT_EQ(evaluations[1].told_s, 2.25);
}

TEST(BuildReplay, AsksForAsManyAsTuneDoes) {
  for (const TellingOrder order : {TellingOrder::asked, TellingOrder::built}) {
    const auto evaluations = replayed(scrambled(500), with(4, order));
    ASSERT_THAT(evaluations, SizeIs(400));
    for (std::size_t told = 0; told < evaluations.size(); ++told) {
      // Those asked for when the cost before was told, this one and later ones among them.
      const double now_s = told == 0 ? 0 : evaluations[told - 1].told_s;
      const auto waiting =
          std::count_if(evaluations.begin() + static_cast<std::ptrdiff_t>(told), evaluations.end(),
                        [&](const TimedEvaluation& one) { return one.asked_s <= now_s; });
      const auto left = static_cast<std::ptrdiff_t>(evaluations.size() - told);
      EXPECT_EQ(waiting, std::min(left, static_cast<std::ptrdiff_t>(points_ahead(told)))) << told;
    }
  }
}

TEST(BuildReplay, KeepsAllProcessesBusyWhileABuildWaits) {
  const RecordedSpace space = scrambled(500);
  const BuildTimes times(space.space, 3);
  const auto evaluations =
      replayed(space, with(5, TellingOrder::built, [&](Point point) { return times.seconds(point); }));
  std::size_t had_to_wait = 0;
  for (const TimedEvaluation& one : evaluations) {
    EXPECT_DOUBLE_EQ(one.built_s, one.build_begun_s + times.seconds(one.point));
    if (one.build_begun_s == one.asked_s) continue;
    ++had_to_wait;
    for (const double moment_s : {one.asked_s, (one.asked_s + one.build_begun_s) / 2}) {
      const auto busy = std::ranges::count_if(evaluations, [&](const TimedEvaluation& other) {
        return other.build_begun_s <= moment_s && moment_s < other.built_s;
      });
      EXPECT_EQ(busy, 5);
    }
  }
  EXPECT_GT(had_to_wait, 100U);
}

TEST(BuildReplay, MeasuresOneAtATimeAndOnlyWhatIsBuilt) {
  const RecordedSpace space = scrambled(500);
  const BuildTimes times(space.space, 3);
  for (const TellingOrder order : {TellingOrder::asked, TellingOrder::built}) {
    const auto evaluations =
        replayed(space, with(16, order, [&](Point point) { return times.seconds(point); }), "random");
    double free_s = 0;
    for (const TimedEvaluation& one : evaluations) {
      EXPECT_GE(one.told_s, std::max(free_s, one.built_s) + 0.125);
      free_s = one.told_s;
    }
  }
}

TEST(BuildReplay, IsTheSameInBothOrdersWhereAllBuildsTakeAsLong) {
  const RecordedSpace bowl = fakes::folded_bowl();
  for (const StrategyKind& kind : strategies()) {
    const auto asked = replayed(bowl, with(7, TellingOrder::asked), kind.name, 200);
    const auto built = replayed(bowl, with(7, TellingOrder::built), kind.name, 200);
    EXPECT_EQ(points_of(asked), points_of(built)) << kind.name;
    EXPECT_EQ(asked.back().told_s, built.back().told_s) << kind.name;
  }
}

TEST(BuildReplay, ASlowBuildHoldsUpOthersOnlyInTheOrderOfAsking) {
  constexpr Point kSlow = 100;
  const auto build_s = [](Point point) { return point == kSlow ? 50.0 : 1.0; };
  const auto asked = points_of(replayed(scrambled(500), with(16, TellingOrder::asked, build_s)));
  EXPECT_EQ(asked[kSlow], kSlow);
  const auto evaluations = replayed(scrambled(500), with(16, TellingOrder::built, build_s));
  const auto built = points_of(evaluations);
  const auto slow = static_cast<std::size_t>(std::ranges::find(built, kSlow) - built.begin());
  EXPECT_GT(slow, 250U);
  EXPECT_EQ(built[kSlow], kSlow + 1);
  double longest_s = 0;
  for (std::size_t i = kSlow; i + 1 < built.size(); ++i)
    longest_s = std::max(longest_s, evaluations[i].told_s - evaluations[i - 1].told_s);
  EXPECT_LT(longest_s, 2);
}

TEST(BuildReplay, EndsWithTheSpaceAndWhenAStopIsRequested) {
  EXPECT_THAT(replayed(scrambled(30), with(4, TellingOrder::built)), SizeIs(30));
  int left = 3;
  const StrategyKind& random = find_strategy("random");
  EXPECT_THAT(replay_builds(scrambled(30), random, {}, 1, 30, with(4, TellingOrder::asked),
                            [&] { return --left < 0; }),
              SizeIs(Lt(4)));
}

TEST(BuildReplay, RepeatsItselfWithTheSameSeed) {
  const RecordedSpace bowl = fakes::folded_bowl();
  const BuildTimes times(bowl.space, 5);
  const BuildReplay builds = with(8, TellingOrder::built, [&](Point point) { return times.seconds(point); });
  for (const StrategyKind& kind : strategies()) {
    const auto first = replayed(bowl, builds, kind.name, 150, 5),
               second = replayed(bowl, builds, kind.name, 150, 5);
    EXPECT_EQ(points_of(first), points_of(second)) << kind.name;
  }
}

TEST(BuildTimes, AreTheSameWithTheSameSeedAndOthersWithAnother) {
  const RecordedSpace space = scrambled(50);
  const BuildTimes one(space.space, 1), again(space.space, 1), other(space.space, 2);
  for (Point point = 0; point < 50; ++point) {
    EXPECT_EQ(one.seconds(point), again.seconds(point));
    EXPECT_NE(one.seconds(point), other.seconds(point));
  }
}

TEST(BuildTimes, SpreadByTheFactorThatTheyPromise) {
  const RecordedSpace bowl = fakes::folded_bowl();
  std::vector<double> times_s;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const BuildTimes times(bowl.space, seed);
    for (Point point = 0; point < bowl.space.size(); ++point) times_s.push_back(times.seconds(point));
  }
  EXPECT_NEAR(median(times_s), BuildTimes::kMedianS, 0.1);
  EXPECT_NEAR(quantile(times_s, 0.95) / quantile(times_s, 0.05), BuildTimes::kSpread, 0.3);
}

TEST(BuildTimes, AreAlikeWhereValuesAre) {
  const RecordedSpace bowl = fakes::folded_bowl();
  std::vector<double> own, neighbours;
  std::vector<Point> around;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const BuildTimes times(bowl.space, seed);
    for (Point point = 0; point < bowl.space.size(); point += 7) {
      bowl.space.neighbours(point, Neighbourhood::hamming, around);
      own.push_back(times.seconds(point));
      neighbours.push_back(times.seconds(around.front()));
    }
  }
  EXPECT_GT(rank_correlation(own, neighbours), 0.3);
  EXPECT_LT(rank_correlation(own, neighbours), 0.6);
}

}  // namespace
}  // namespace tailwave
