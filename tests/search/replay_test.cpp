#include "search/replay.h"

#include <gmock/gmock.h>

#include <numeric>

#include "core/error.h"
#include "search/landscape.h"

namespace tailwave {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kNone = kFailed;

RecordedSpace space_of(std::vector<double> costs) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < costs.size(); ++i) values.emplace_back(static_cast<std::int64_t>(i));
  return {"tiny", "some GPU", SearchSpace::of(ParameterSpace({{"N", values}}, {})), std::move(costs), {}};
}

std::string refusal(std::vector<double> costs) {
  try {
    std::ignore = analyse(space_of(std::move(costs)));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Knowledge impossible(const std::vector<bool>& which) {
  std::vector<PointFacts> facts;
  for (const bool one : which) facts.push_back({.features = {}, .impossible = one});
  return Knowledge::of({}, std::move(facts));
}

// Notes how many points it was asked for before it was told of them.
class Asked : public Strategy {
 public:
  explicit Asked(std::vector<std::size_t>& waiting) : waiting_(waiting) {}
  void ask(std::size_t most, std::vector<Point>& points) override {
    for (; most > 0; --most) points.push_back(next_++);
    waiting_.push_back(next_ - told_);
  }
  void tell(Point /*point*/, double /*cost*/) override { ++told_; }

 private:
  std::vector<std::size_t>& waiting_;
  Point next_ = 0, told_ = 0;
};

TEST(Replay, AsksForWholeBatchesAndForNoMoreThanAreLeft) {
  std::vector<std::size_t> waiting;
  StrategyKind kind;
  kind.make = [&](const SearchProblem&, const StrategyOptions&) { return std::make_unique<Asked>(waiting); };
  const auto never = [] { return false; };
  EXPECT_EQ(replay(space_of({9, 8, 7, 6, 5, 4, 3, 2, 1, 10}), kind, {}, 1, {9}, never, 4).size(), 9U);
  EXPECT_THAT(waiting, ElementsAre(4, 4, 1));
}

TEST(Analyse, ExpectsTheMinimumOfDrawsWithoutReplacement) {
  // Of 1..n the lowest of t is (n + 1) / (t + 1) in the mean.
  const SpaceStatistics statistics = analyse(space_of({3, 1, 5, 2, 4}));
  EXPECT_THAT(statistics.baseline, Pointwise(DoubleNear(1e-12), std::vector<double>{3, 2, 1.5, 1.2, 1}));
  EXPECT_EQ(statistics.optimum, 1);
  EXPECT_EQ(statistics.median, 3);
  EXPECT_EQ(statistics.worst, 5);
  EXPECT_EQ(statistics.failed, 0U);
  EXPECT_EQ(statistics.budget, 5U);
}

TEST(Analyse, EndsTheBudgetWhereRandomSearchIsWithin5PercentOfTheWayToTheMedian) {
  std::vector<double> costs(99);
  std::iota(costs.begin(), costs.end(), 1.0);
  // 100 / (t + 1) <= 1 + 0.05 * (50 - 1) for the first time.
  const SpaceStatistics statistics = analyse(space_of(costs));
  EXPECT_EQ(statistics.budget, 28U);
  EXPECT_NEAR(statistics.baseline.back(), 100.0 / 29, 1e-12);
}

TEST(Analyse, CountsAFailedDrawAsTheWorstCost) {
  // Two draws of 1, 3 and a failure, each with the same probability: 1 is among two of the three pairs.
  const SpaceStatistics statistics = analyse(space_of({1, kNone, 3}));
  EXPECT_THAT(statistics.baseline, Pointwise(DoubleNear(1e-12), std::vector<double>{7.0 / 3, 5.0 / 3, 1}));
  EXPECT_EQ(statistics.median, 2);
  EXPECT_EQ(statistics.failed, 1U);
}

TEST(Analyse, LeavesOutWhatIsKnownToBeImpossible) {
  RecordedSpace space = space_of({3, kNone, 1, kNone, 5, 2, 4});
  space.knowledge = impossible({false, true, false, true, false, false, false});
  const SpaceStatistics statistics = analyse(space);
  EXPECT_THAT(statistics.baseline, Pointwise(DoubleNear(1e-12), std::vector<double>{3, 2, 1.5, 1.2, 1}));
  EXPECT_EQ(statistics.failed, 0U);
}

TEST(Analyse, TakesTheSecondsOfTheBudgetFromTheMeanOfWhatMayBeEvaluated) {
  RecordedSpace space = space_of({3, kNone, 1, 5});
  EXPECT_EQ(analyse(space).budget_seconds, std::nullopt);
  space.knowledge = impossible({false, false, false, true});
  space.seconds = {{1, 2}, {3, 0}, {2, 1}, {100, 100}};
  const SpaceStatistics statistics = analyse(space);
  EXPECT_EQ(statistics.budget_seconds, 3.0 * static_cast<double>(statistics.budget));
}

TEST(Analyse, RefusesASpaceWithoutAnythingToFind) {
  EXPECT_EQ(refusal({kNone, kNone}), "tiny: no configuration ran");
  EXPECT_EQ(refusal({2, 2, kNone}), "tiny: all configurations cost the same");
}

TEST(Replay, GivesTheLowestCostAfterEachEvaluation) {
  const RecordedSpace space = space_of({kNone, 3, 4, 2, 1});
  const StrategyKind& exhaustive = find_strategy("exhaustive");
  EXPECT_THAT(fakes::lowest_of_search(space, exhaustive, {}, 1, 4), ElementsAre(kNone, 3, 3, 2));
  EXPECT_THAT(fakes::lowest_of_search(space, exhaustive, {}, 1, 9), ElementsAre(kNone, 3, 3, 2, 1));
}

TEST(Replay, SpendsNothingOnWhatIsKnownToBeImpossible) {
  RecordedSpace space = space_of({kNone, 3, 4, 2, 1});
  space.knowledge = impossible({true, false, false, false, false});
  EXPECT_THAT(fakes::lowest_of_search(space, find_strategy("exhaustive"), {}, 1, 9), ElementsAre(3, 3, 2, 1));
}

TEST(Replay, GoesOnUntilTheSecondsOfItsBudgetAreSpent) {
  RecordedSpace space = space_of({5, 4, 3, 2, 1});
  space.seconds = {{1, 1}, {1, 0}, {0.5, 0}, {2, 2}, {1, 1}};
  const StrategyKind& exhaustive = find_strategy("exhaustive");
  EXPECT_THAT(replay(space, exhaustive, {}, 1, {2, 0}), ElementsAre(0, 1));
  EXPECT_THAT(replay(space, exhaustive, {}, 1, {2, 3}), ElementsAre(0, 1));
  EXPECT_THAT(replay(space, exhaustive, {}, 1, {2, 3.25}), ElementsAre(0, 1, 2));
  EXPECT_THAT(replay(space, exhaustive, {}, 1, {2, 1000}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(told_in_turn(space, {1, 3, 2}), ElementsAre(1, 5, 5.5));
}

// The strategy must not plan otherwise because it may go on.
TEST(Replay, BeginsTheSameHoweverLongItGoesOn) {
  RecordedSpace bowl = fakes::folded_bowl();
  bowl.seconds.assign(bowl.costs.size(), {1, 0});
  for (const StrategyKind& kind : strategies()) {
    const std::vector<Point> ends = replay(bowl, kind, fakes::defaults(kind), 3, {40});
    std::vector<Point> goes_on = replay(bowl, kind, fakes::defaults(kind), 3, {40, 60});
    EXPECT_EQ(goes_on.size(), 60U) << kind.name;
    goes_on.resize(ends.size());
    EXPECT_EQ(goes_on, ends) << kind.name;
  }
}

TEST(Replay, EndsWhenAStopIsRequested) {
  int evaluations = 0;
  const auto stop = [&] { return ++evaluations > 2; };
  EXPECT_EQ(replay(space_of({4, 3, 2, 1}), find_strategy("random"), {}, 1, {4}, stop).size(), 2U);
}

// The impossible half, all in a row, must not lend its probability to the point after it.
TEST(Replay, OfModelsBeginsAnywhereWhateverIsImpossible) {
  std::vector<double> costs(1000, 2.0);
  RecordedSpace space = space_of(costs);
  std::vector<bool> first_half_is(1000, false);
  std::fill(first_half_is.begin(), first_half_is.begin() + 500, true);
  space.knowledge = impossible(first_half_is);
  for (const char* name : {"bayesian", "wave_guided"}) {
    const StrategyKind& kind = find_strategy(name);
    int first_half = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const SearchProblem problem{&space.space, 10, seed, &space.knowledge};
      Search search(problem, kind.make(problem, complete_options(kind, {})));
      first_half += search.next(1).front() < 750 ? 1 : 0;
    }
    EXPECT_GT(first_half, 30) << name;
    EXPECT_LT(first_half, 70) << name;
  }
}

TEST(Replay, RepeatsItselfWithTheSameSeed) {
  const RecordedSpace space = space_of({5, 3, 4, 2, 1, 9, 8, 7, 6, 10});
  for (const StrategyKind& kind : strategies()) {
    const StrategyOptions options = complete_options(kind, {});
    EXPECT_EQ(replay(space, kind, options, 7, {10}), replay(space, kind, options, 7, {10})) << kind.name;
  }
}

TEST(Replay, OfRandomSearchIsWhatIsExpectedInTheMean) {
  const RecordedSpace space = space_of({3, 1, 5, 2, 4});
  const SpaceStatistics statistics = analyse(space);
  constexpr int kSeeds = 4000;
  std::vector<double> sums(statistics.budget);
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<double> best =
        fakes::lowest_of_search(space, find_strategy("random"), {}, seed, statistics.budget);
    for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += best[t] / kSeeds;
  }
  EXPECT_THAT(sums, Pointwise(DoubleNear(0.1), statistics.baseline));
}

TEST(LowestCosts, AreThoseOfTheEvaluationsUntilThen) {
  const RecordedSpace space = space_of({kNone, 3, 2});
  const std::vector<Point> points{0, 2, 1};
  EXPECT_THAT(lowest_costs(space, points), ElementsAre(kNone, 2, 2));
  EXPECT_THAT(lowest_costs_at(space, points, {1, 2, 4}, {0.5, 1.5, 2, 9}), ElementsAre(kNone, kNone, 2, 2));
}

class Scores : public testing::Test {
 protected:
  const SpaceStatistics statistics_ = analyse(space_of({3, 1, 5, 2, 4}));  // baseline 3, 2, 1.5, 1.2, 1
};

TEST_F(Scores, AverageTheShareOfTheWayFromTheBaselineToTheOptimum) {
  // 0, 0, (1.5 - 2) / 0.5, (1.2 - 1) / 0.2, and 0 where the baseline is the optimum.
  EXPECT_NEAR(score(statistics_, {3, 2, 2, 1, 1}).mean, 0, 1e-12);
  EXPECT_NEAR(score(statistics_, {1, 1, 1, 1, 1}).mean, 0.8, 1e-12);
}

TEST_F(Scores, AreBoundedByMinusOneInEachTerm) {
  // -1, -3, -7, -19 and, where the baseline is the optimum, -1.
  const Score worst = score(statistics_, {5, 5, 5, 5, 5});
  EXPECT_NEAR(worst.mean, -6.2, 1e-12);
  EXPECT_NEAR(worst.bounded, -1, 1e-12);
}

TEST_F(Scores, TakeTheWorstCostUntilSomethingRan) {
  EXPECT_NEAR(score(statistics_, {kNone, 1, 1, 1, 1}).mean, (-1 + 3) / 5.0, 1e-12);
  EXPECT_NEAR(score(statistics_, {}).mean, -6.2, 1e-12);
}

TEST_F(Scores, BySecondsAreThoseByEvaluationWhereAllTakeAsLong) {
  RecordedSpace space = space_of({3, 1, 5, 2, 4});
  space.seconds.assign(5, {0.75, 0.25});
  const std::vector<Point> points{0, 4, 3, 1, 2};
  const SpaceStatistics statistics = analyse(space);
  EXPECT_DOUBLE_EQ(score_by_time(space, statistics, points).mean,
                   score(statistics, lowest_costs(space, points)).mean);
}

// Best known after 1, 2, ... 5 s, with two evaluations of half a second before one of two and one of two.
TEST_F(Scores, BySecondsTakeWhatIsKnownThen) {
  RecordedSpace space = space_of({3, 1, 5, 2, 4});
  space.seconds = {{0.5, 0}, {0, 2}, {0, 0}, {1, 1}, {0.5, 0}};
  const SpaceStatistics statistics = analyse(space);
  ASSERT_DOUBLE_EQ(*statistics.budget_seconds, 5);
  EXPECT_DOUBLE_EQ(score_by_time(space, statistics, {0, 4, 3, 1}).mean,
                   score(statistics, {3, 3, 2, 2, 1}).mean);
}

TEST_F(Scores, KeepTheLastCostOfASpaceThatIsExhausted) {
  EXPECT_NEAR(score(statistics_, {1}).mean, 0.8, 1e-12);
}

}  // namespace
}  // namespace tailwave
