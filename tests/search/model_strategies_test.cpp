// The strategies that learn a model: bayesian and wave_guided.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/landscape.h"
#include "search/replay.h"

namespace tailwave {
namespace {

using ::testing::SizeIs;

// 4 x 12 x 8 x 2 configurations with a valley, a cliff and a few failures: what blocks and tiles do to a kernel.
RecordedSpace valley(double unit = 1) {
  Parameter x{"block_size_x", {}}, tile{"tile", {}};
  const Parameter y{"block_size_y", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}};
  const Parameter path{"path", {std::string("global"), std::string("shared")}};
  for (std::int64_t i = 1; i <= 12; ++i) x.values.emplace_back(32 * i);
  for (std::int64_t i = 1; i <= 8; ++i) tile.values.emplace_back(i);
  RecordedSpace recorded{"valley", "", SearchSpace::of(ParameterSpace({y, x, tile, path}, {})), {}, {}};
  for (Point point = 0; point < recorded.space.size(); ++point) {
    const auto digits = recorded.space.digits(point);
    const double threads = 32.0 * (digits[1] + 1) * (1 << digits[0]);
    const double work = digits[2] + 1;
    double cost = 1 + std::pow(std::log2(threads / 256), 2) + 0.3 * std::abs(work - 6);
    if (digits[3] == 0) cost *= 1.5 + 0.1 * work;
    recorded.costs.push_back(threads > 1024 ? kFailed : unit * cost * (1 + 0.01 * (point % 7)));
  }
  return recorded;
}

class ModelStrategy : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] const StrategyKind& kind() const { return find_strategy(GetParam()); }

  [[nodiscard]] std::vector<Point> sequence(const RecordedSpace& recorded, std::uint64_t seed,
                                            std::size_t count, std::size_t at_once = 1) const {
    const SearchProblem problem{&recorded.space, count, seed, &recorded.knowledge};
    Search search(problem, kind().make(problem, complete_options(kind(), {})));
    while (search.history().size() < count && !search.exhausted()) {
      const std::vector<Point> points = search.next(at_once);
      for (const Point point : points) search.report(point, recorded.costs[point]);
    }
    std::vector<Point> points;
    for (const auto& one : search.history()) points.push_back(one.point);
    return points;
  }
};

TEST_P(ModelStrategy, FindsTheOptimumInATwelfthOfTheSpace) {
  const RecordedSpace recorded = valley();
  const double optimum = *std::ranges::min_element(recorded.costs);
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    found += fakes::lowest_of_search(recorded, kind(), complete_options(kind(), {}), seed, 64).back() <
                     1.02 * optimum
                 ? 1
                 : 0;
  EXPECT_GE(found, 9);
}

TEST_P(ModelStrategy, RepeatsItsSequenceForASeedAndOnlyForThat) {
  const RecordedSpace recorded = valley();
  EXPECT_EQ(sequence(recorded, 7, 60), sequence(recorded, 7, 60));
  EXPECT_NE(sequence(recorded, 7, 60), sequence(recorded, 8, 60));
}

TEST_P(ModelStrategy, DoesTheSameWhateverTheUnitOfCosts) {
  EXPECT_EQ(sequence(valley(), 3, 80), sequence(valley(1024), 3, 80));
  EXPECT_EQ(sequence(valley(), 3, 80), sequence(valley(0x1p-40), 3, 80));
}

TEST_P(ModelStrategy, AsksForSeveralPointsBeforeItIsToldOfThem) {
  const RecordedSpace recorded = valley();
  const SearchProblem problem{&recorded.space, 64, 1, nullptr};
  const auto strategy = kind().make(problem, complete_options(kind(), {}));
  std::set<Point> seen;
  for (int round = 0; round < 6; ++round) {
    std::vector<Point> points;
    strategy->ask(10, points);
    ASSERT_THAT(points, SizeIs(10));
    seen.insert(points.begin(), points.end());
    std::ranges::reverse(points);
    for (const Point point : points) strategy->tell(point, recorded.costs[point]);
  }
  EXPECT_THAT(seen, SizeIs(60));
}

TEST_P(ModelStrategy, IsNotMuchWorseWhenItAsksForEightAtOnce) {
  const RecordedSpace recorded = valley();
  const double optimum = *std::ranges::min_element(recorded.costs);
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    double lowest = kFailed;
    for (const Point point : sequence(recorded, seed, 96, 8))
      lowest = std::min(lowest, recorded.costs[point]);
    found += lowest < 1.02 * optimum ? 1 : 0;
  }
  EXPECT_GE(found, 8);
}

TEST_P(ModelStrategy, AsksForEveryPointOnceWhereAllFail) {
  RecordedSpace recorded = valley();
  std::ranges::fill(recorded.costs, kFailed);
  const std::vector<Point> points = sequence(recorded, 1, recorded.costs.size());
  EXPECT_THAT(std::set<Point>(points.begin(), points.end()), SizeIs(recorded.space.size()));
}

TEST_P(ModelStrategy, GoesThroughASpaceToItsEndWhereAllCostTheSame) {
  RecordedSpace recorded = valley();
  std::ranges::fill(recorded.costs, 2.0);
  EXPECT_THAT(sequence(recorded, 1, recorded.costs.size()), SizeIs(recorded.space.size()));
}

TEST_P(ModelStrategy, SearchesASpaceOfOnePoint) {
  const Parameter only{"block_size_x", {std::int64_t{32}}};
  const RecordedSpace recorded{"one", "", SearchSpace::of(ParameterSpace({only}, {})), {1.5}, {}};
  EXPECT_EQ(sequence(recorded, 1, 5), std::vector<Point>{0});
}

TEST_P(ModelStrategy, NeverAsksForTheImpossible) {
  const RecordedSpace recorded = valley();
  std::vector<PointFacts> facts;
  for (const double cost : recorded.costs) facts.push_back({.features = {}, .impossible = cost == kFailed});
  const Knowledge knowledge = Knowledge::of({}, facts);
  const SearchProblem problem{&recorded.space, 100, 1, &knowledge};
  const auto strategy = kind().make(problem, complete_options(kind(), {}));
  std::size_t asked = 0;
  std::vector<Point> points;
  do {
    asked += points.size();
    for (const Point point : points) {
      ASSERT_FALSE(knowledge.is_impossible(point));
      strategy->tell(point, recorded.costs[point]);
    }
    points.clear();
    strategy->ask(16, points);
  } while (!points.empty());
  EXPECT_EQ(asked,
            recorded.costs.size() - static_cast<std::size_t>(std::ranges::count(recorded.costs, kFailed)));
}

TEST_P(ModelStrategy, TellsItsPurposeAndItsHyperparameters) {
  EXPECT_FALSE(kind().description.empty());
  for (const Hyperparameter& one : kind().hyperparameters) {
    EXPECT_FALSE(one.description.empty()) << one.name;
    EXPECT_GE(one.default_value, one.least) << one.name;
    EXPECT_LE(one.default_value, one.most) << one.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Model, ModelStrategy, ::testing::Values("bayesian", "wave_guided"),
                         [](const auto& tested) { return std::string(tested.param); });

Knowledge prediction(const RecordedSpace& recorded, const std::function<float(double)>& of_cost) {
  std::vector<PointFacts> facts;
  for (const double cost : recorded.costs) facts.push_back({.features = {}, .predicted_cost = of_cost(cost)});
  return Knowledge::of({}, facts);
}

// The lowest cost among the first five points, on average over 20 seeds.
double early_cost(const RecordedSpace& recorded) {
  const StrategyKind& kind = find_strategy("wave_guided");
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const double lowest = fakes::lowest_of_search(recorded, kind, complete_options(kind, {}), seed, 5).back();
    sum += std::min(lowest, 100.0) / 20;
  }
  return sum;
}

TEST(WaveGuided, BeginsWhereThePredictionIsLow) {
  RecordedSpace predicted = valley();
  predicted.knowledge = prediction(predicted, [](double cost) {
    return cost == kFailed ? std::nanf("") : static_cast<float>(1000 * cost);
  });
  EXPECT_LT(early_cost(predicted), 0.8 * early_cost(valley()));
}

TEST(WaveGuided, RecoversFromAPredictionThatIsUpsideDown) {
  RecordedSpace misled = valley();
  misled.knowledge =
      prediction(misled, [](double cost) { return cost == kFailed ? 0.01F : static_cast<float>(1 / cost); });
  const double optimum = *std::ranges::min_element(misled.costs);
  const StrategyKind& kind = find_strategy("wave_guided");
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_LT(fakes::lowest_of_search(misled, kind, complete_options(kind, {}), seed, 120).back(),
              1.05 * optimum);
}

}  // namespace
}  // namespace tailwave
