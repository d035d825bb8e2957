#include "tune/simulate.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "search/landscape.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using ::testing::SizeIs;

RecordedSpace numbers(std::size_t count) {
  RecordedSpace space{"numbers", "some GPU", SearchSpace(std::vector<Parameter>{}), {}, {}};
  Parameter n{"N", {}};
  for (std::size_t i = 0; i < count; ++i) {
    n.values.emplace_back(static_cast<std::int64_t>(i));
    space.costs.push_back(1.0 + static_cast<double>(i * 7919 % count));
  }
  space.space = SearchSpace::of(ParameterSpace({n}, {}));
  return space;
}

SimulationRecord simulated(std::size_t points, const SimulationOptions& options,
                           const std::string& strategy = "random") {
  const RecordedSpace space = numbers(points);
  return simulate(space, analyse(space), find_strategy(strategy), options);
}

TEST(Simulate, ScoresEverySeedAsItsReplay) {
  const SimulationRecord record = simulated(100, {.first_seed = 5, .seeds = 3});
  const RecordedSpace space = numbers(100);
  const SpaceStatistics statistics = analyse(space);
  ASSERT_THAT(record.seeds, SizeIs(3));
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto best = fakes::lowest_of_search(space, find_strategy("random"), {}, 5 + i, statistics.budget);
    EXPECT_EQ(record.seeds[i].seed, 5 + i);
    EXPECT_EQ(record.seeds[i].score, score(statistics, best).mean);
    EXPECT_EQ(record.seeds[i].bounded_score, score(statistics, best).bounded);
    EXPECT_EQ(record.seeds[i].best, best.back());
  }
  EXPECT_EQ(record.points, 100U);
  EXPECT_EQ(record.budget, statistics.budget);
  EXPECT_EQ(record.strategy, "random");
}

TEST(Simulate, GivesTheSameWithAnyNumberOfThreads) {
  const SimulationRecord one = simulated(300, {.seeds = 20, .threads = 1});
  const SimulationRecord many = simulated(300, {.seeds = 20, .threads = 7});
  ASSERT_EQ(one.seeds.size(), many.seeds.size());
  for (std::size_t i = 0; i < one.seeds.size(); ++i) EXPECT_EQ(one.seeds[i].score, many.seeds[i].score);
  ASSERT_EQ(one.steps.size(), many.steps.size());
  for (std::size_t i = 0; i < one.steps.size(); ++i) EXPECT_EQ(one.steps[i].median, many.steps[i].median);
}

// Asks for the point that its seed numbers, and for nothing more.
class OnePoint : public Strategy {
 public:
  explicit OnePoint(std::uint64_t seed) : point_(static_cast<Point>(seed)) {}
  void ask(std::size_t /*most*/, std::vector<Point>& points) override { points.push_back(point_); }
  void tell(Point /*point*/, double /*cost*/) override {}

 private:
  Point point_;
};

TEST(Simulate, KeepsTheQuartilesOfTheLowestCosts) {
  RecordedSpace space = numbers(5);
  space.costs = {9, 1, 3, 4, 5};
  StrategyKind kind = find_strategy("random");
  kind.make = [](const SearchProblem& problem, const StrategyOptions&) {
    return std::make_unique<OnePoint>(problem.seed);
  };
  const SimulationRecord record = simulate(space, analyse(space), kind, {.seeds = 4});
  ASSERT_THAT(record.steps, SizeIs(5));
  EXPECT_EQ(record.steps[0].evaluation, 1U);
  EXPECT_DOUBLE_EQ(record.steps[0].baseline, 22.0 / 5);
  EXPECT_EQ(record.steps[0].median, 3.5);  // of 1, 3, 4, 5
  EXPECT_EQ(record.steps[0].low, 2.5);
  EXPECT_EQ(record.steps[0].high, 4.25);
  EXPECT_EQ(record.steps[4].high, 1);
}

TEST(Simulate, KeepsSomeStepsOfALongBudget) {
  const RecordedSpace space = [] {
    RecordedSpace all = numbers(3000);
    // So that only a few are near the optimum.
    for (double& cost : all.costs) cost = cost < 4 ? cost : 3000 + cost;
    return all;
  }();
  const SpaceStatistics statistics = analyse(space);
  ASSERT_GT(statistics.budget, kMostSteps);
  const SimulationRecord record = simulate(space, statistics, find_strategy("random"), {.seeds = 2});
  ASSERT_THAT(record.steps, SizeIs(kMostSteps));
  EXPECT_EQ(record.steps.front().evaluation, 1U);
  EXPECT_EQ(record.steps.back().evaluation, statistics.budget);
  for (std::size_t i = 1; i < record.steps.size(); ++i)
    EXPECT_LT(record.steps[i - 1].evaluation, record.steps[i].evaluation);
}

TEST(Simulate, CountsASeedThatFoundNothingAsTheWorst) {
  RecordedSpace space = numbers(4);
  space.costs = {kFailed, kFailed, 1, 2};
  SpaceStatistics statistics = analyse(space);
  statistics.budget = 1;
  const SimulationRecord record = simulate(space, statistics, find_strategy("exhaustive"), {.seeds = 1});
  EXPECT_EQ(record.seeds[0].best, std::nullopt);
  EXPECT_EQ(record.steps[0].median, 2);
}

TEST(Simulate, PassesOnWhatAStrategyThrows) {
  const RecordedSpace space = numbers(10);
  StrategyKind broken = find_strategy("random");
  broken.make = [](const SearchProblem&, const StrategyOptions&) -> std::unique_ptr<Strategy> {
    throw std::runtime_error("broken");
  };
  EXPECT_THROW(simulate(space, analyse(space), broken, {.seeds = 50, .threads = 3}), std::runtime_error);
}

TEST(Simulate, StopsWhenAsked) {
  EXPECT_EQ(samples::error_of([] { simulated(100, {.stop_requested = [] { return true; }}); }),
            "interrupted: what was simulated whole is stored");
}

BuildSimulation simulated_builds(std::size_t points, const SimulationOptions& options,
                                 const std::string& strategy, TellingOrder order, std::size_t processes = 8) {
  const RecordedSpace space = numbers(points);
  return simulate_builds(space, analyse(space), find_strategy(strategy), options, processes, order);
}

TEST(SimulateBuilds, ScoresEverySeedAsItsReplay) {
  const RecordedSpace space = numbers(2000);
  const SpaceStatistics statistics = analyse(space);
  const BuildSimulation simulation =
      simulated_builds(2000, {.first_seed = 5, .seeds = 3}, "genetic", TellingOrder::built);
  ASSERT_THAT(simulation.seeds, SizeIs(3));
  EXPECT_EQ(simulation.strategy, "genetic");
  EXPECT_EQ(simulation.budget, statistics.budget);
  const StrategyKind& genetic = find_strategy("genetic");
  for (std::uint64_t i = 0; i < 3; ++i) {
    const BuildTimes times(space.space, 5 + i);
    const auto evaluations =
        replay_builds(space, genetic, complete_options(genetic, {}), 5 + i, statistics.budget,
                      {.processes = 8,
                       .build_s = [&](Point point) { return times.seconds(point); },
                       .measure_s = [](Point) { return BuildTimes::kMeasureS; }});
    std::vector<Point> points;
    for (const TimedEvaluation& one : evaluations) points.push_back(one.point);
    EXPECT_EQ(simulation.seeds[i].seed, 5 + i);
    EXPECT_EQ(simulation.seeds[i].by_evaluation.mean, score(statistics, lowest_costs(space, points)).mean);
    EXPECT_EQ(simulation.seeds[i].seconds, evaluations.back().told_s);
  }
}

TEST(SimulateBuilds, ByTimeIsByEvaluationOfRandomSearchInTheOrderOfAsking) {
  const BuildSimulation asked = simulated_builds(2000, {.seeds = 4}, "random", TellingOrder::asked);
  const BuildSimulation built = simulated_builds(2000, {.seeds = 4}, "random", TellingOrder::built);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(asked.seeds[i].by_time.mean, asked.seeds[i].by_evaluation.mean);
    EXPECT_LE(built.seeds[i].seconds, asked.seeds[i].seconds);
  }
}

TEST(SimulateBuilds, GivesTheSameWithAnyNumberOfThreads) {
  for (const TellingOrder order : {TellingOrder::asked, TellingOrder::built}) {
    const BuildSimulation one = simulated_builds(300, {.seeds = 20, .threads = 1}, "wave_guided", order);
    const BuildSimulation many = simulated_builds(300, {.seeds = 20, .threads = 7}, "wave_guided", order);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(one.seeds[i].by_evaluation.mean, many.seeds[i].by_evaluation.mean);
      EXPECT_EQ(one.seeds[i].by_time.mean, many.seeds[i].by_time.mean);
      EXPECT_EQ(one.seeds[i].seconds, many.seeds[i].seconds);
    }
  }
}

TEST(SimulateBuilds, TakeAsLongAsRecorded) {
  RecordedSpace space = numbers(300);
  for (Point point = 0; point < 300; ++point) space.seconds.push_back({point % 7 == 0 ? 100.0 : 1.0, 0.5});
  const SpaceStatistics statistics = analyse(space);
  const StrategyKind& random = find_strategy("random");
  const BuildSimulation simulation =
      simulate_builds(space, statistics, random, {.seeds = 1}, 1, TellingOrder::asked);
  EXPECT_TRUE(simulation.has_recorded_times);
  // One process builds one after the other, and the last of them is measured after its build.
  double builds_s = 0;
  for (const Point point : replay(space, random, {}, 1, {statistics.budget}))
    builds_s += space.seconds[point].build;
  EXPECT_GE(simulation.seeds[0].seconds, builds_s);
  EXPECT_LE(simulation.seeds[0].seconds, builds_s + 0.5 * static_cast<double>(statistics.budget));
}

TEST(Simulate, ScoresBySecondsWhereTheyAreRecorded) {
  RecordedSpace space = numbers(200);
  const SimulationOptions options{.seeds = 3};
  const StrategyKind& genetic = find_strategy("genetic");
  const SimulationRecord without = simulate(space, analyse(space), genetic, options);
  EXPECT_EQ(without.budget_seconds, std::nullopt);
  EXPECT_EQ(without.seeds[0].score_by_time, std::nullopt);
  space.seconds.assign(200, {1, 1});
  const SimulationRecord alike = simulate(space, analyse(space), genetic, options);
  EXPECT_EQ(alike.budget_seconds, 2.0 * static_cast<double>(alike.budget));
  // What is good takes a tenth, so that a search that finds it gets further.
  for (Point point = 0; point < 200; ++point) space.seconds[point] = {space.costs[point] < 50 ? 0.1 : 1.0, 0};
  const SimulationRecord quick = simulate(space, analyse(space), genetic, options);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(alike.seeds[i].score_by_time.value(), alike.seeds[i].score);
    EXPECT_EQ(quick.seeds[i].score, without.seeds[i].score);
    EXPECT_EQ(quick.seeds[i].best, without.seeds[i].best);
  }
  EXPECT_EQ(simulate(space, analyse(space), genetic, {.seeds = 1, .batch = 4}).seeds[0].score_by_time,
            std::nullopt);
}

TEST(SimulateBuilds, StopsWhenAsked) {
  EXPECT_EQ(samples::error_of([] {
              simulated_builds(100, {.stop_requested = [] { return true; }}, "random", TellingOrder::built);
            }),
            "interrupted: scores with build processes are not stored");
}

TEST(Simulate, RefusesAnOptionThatTheStrategyLacks) {
  EXPECT_THROW(simulated(100, {.given = {{"population", 20}}}), Error);
}

}  // namespace
}  // namespace tailwave
