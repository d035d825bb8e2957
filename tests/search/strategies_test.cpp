#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/error.h"
#include "search/landscape.h"
#include "search/strategy.h"

namespace tailwave {
namespace {

using fakes::defaults;
using fakes::folded_bowl;
using fakes::numbers_to;

// All but those that learn nothing.
std::vector<StrategyKind> learning_strategies() {
  std::vector<StrategyKind> kinds;
  for (const StrategyKind& kind : strategies())
    if (kind.name != "exhaustive" && kind.name != "random") kinds.push_back(kind);
  return kinds;
}

// The points in the order in which they are asked for, one after the other.
std::vector<Point> asked_points(const RecordedSpace& recorded, const StrategyKind& kind, std::uint64_t seed,
                                std::size_t evaluations, const std::map<std::string, double>& given = {}) {
  const SearchProblem problem{&recorded.space, evaluations, seed, nullptr};
  Search search(problem, kind.make(problem, complete_options(kind, given)));
  while (search.history().size() < evaluations && !search.exhausted())
    for (const Point point : search.next(1)) search.report(point, recorded.costs[point]);
  std::vector<Point> points;
  for (const auto& one : search.history()) points.push_back(one.point);
  return points;
}

constexpr std::size_t kBudget = 60;
constexpr int kSeeds = 40;

double mean_of_seeds(const std::function<double(std::uint64_t)>& lowest) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) sum += lowest(seed);
  return sum / kSeeds;
}

double mean_lowest(const RecordedSpace& recorded, const StrategyKind& kind) {
  return mean_of_seeds([&](std::uint64_t seed) {
    return fakes::lowest_of_search(recorded, kind, defaults(kind), seed, kBudget).back();
  });
}

TEST(Strategies, FindLowerCostsThanRandomSearch) {
  const RecordedSpace bowl = folded_bowl();
  const double random = mean_lowest(bowl, find_strategy("random"));
  for (const StrategyKind& kind : learning_strategies())
    EXPECT_LT(mean_lowest(bowl, kind) - 1, 0.75 * (random - 1)) << kind.name;
}

// Eight configurations are always on their way, and come back in a random order.
double lowest_ahead(const RecordedSpace& recorded, const StrategyKind& kind, std::uint64_t seed) {
  constexpr std::size_t kAhead = 8;
  const SearchProblem problem{&recorded.space, kBudget, seed, nullptr};
  Search search(problem, kind.make(problem, defaults(kind)));
  Generator random(seed);
  std::vector<Point> waiting;
  double lowest = kFailed;
  while (search.history().size() < kBudget) {
    const std::vector<Point> more = search.next(kAhead - waiting.size());
    waiting.insert(waiting.end(), more.begin(), more.end());
    EXPECT_LE(waiting.size(), kAhead) << kind.name;
    EXPECT_FALSE(waiting.empty()) << kind.name;
    std::swap(waiting[random.below(static_cast<std::uint32_t>(waiting.size()))], waiting.back());
    search.report(waiting.back(), recorded.costs[waiting.back()]);
    lowest = std::min(lowest, recorded.costs[waiting.back()]);
    waiting.pop_back();
  }
  return lowest;
}

TEST(Strategies, FindLowerCostsThanRandomSearchWhenToldLateAndInAnyOrder) {
  const RecordedSpace bowl = folded_bowl();
  const double random = mean_lowest(bowl, find_strategy("random"));
  for (const StrategyKind& kind : learning_strategies()) {
    const double lowest = mean_of_seeds([&](std::uint64_t seed) { return lowest_ahead(bowl, kind, seed); });
    EXPECT_LT(lowest - 1, 0.9 * (random - 1)) << kind.name;
  }
}

TEST(Strategies, RepeatTheSequenceOfASeedAndNoOther) {
  const RecordedSpace bowl = folded_bowl();
  for (const StrategyKind& kind : strategies()) {
    const std::vector<Point> points = asked_points(bowl, kind, 3, kBudget);
    EXPECT_EQ(points, asked_points(bowl, kind, 3, kBudget)) << kind.name;
    if (kind.name == "exhaustive") continue;
    EXPECT_NE(points, asked_points(bowl, kind, 4, kBudget)) << kind.name;
  }
}

TEST(Strategies, DoNotDependOnTheUnitOfCosts) {
  const RecordedSpace seconds = folded_bowl(), microseconds = folded_bowl(1e6);
  for (const StrategyKind& kind : strategies())
    for (const std::uint64_t seed : {1, 2, 3})
      EXPECT_EQ(asked_points(seconds, kind, seed, kBudget), asked_points(microseconds, kind, seed, kBudget))
          << kind.name;
}

// The defaults are so cold that hardly a worse point of the bowl is ever accepted.
TEST(Strategies, AcceptWorsePointsByTheShareOfTheirCost) {
  const RecordedSpace seconds = folded_bowl(), microseconds = folded_bowl(1e6);
  const std::pair<const char*, std::map<std::string, double>> warm[] = {
      {"annealing", {{"first_temperature", 0.3}, {"last_temperature", 0.3}}},
      {"hybrid_vndx", {{"temperature", 0.3}}}};
  for (const auto& [name, given] : warm) {
    const StrategyKind& kind = find_strategy(name);
    const std::vector<Point> points = asked_points(seconds, kind, 1, kBudget, given);
    EXPECT_EQ(points, asked_points(microseconds, kind, 1, kBudget, given)) << name;
    EXPECT_NE(points, asked_points(seconds, kind, 1, kBudget)) << name;
  }
}

TEST(Strategies, VisitEveryPointOnceHoweverManyFail) {
  RecordedSpace all_fail = folded_bowl(), all_but_one_fail = folded_bowl();
  std::fill(all_fail.costs.begin(), all_fail.costs.end(), kFailed);
  all_but_one_fail.costs = all_fail.costs;
  all_but_one_fail.costs[100] = 2;
  for (const StrategyKind& kind : strategies()) {
    for (const RecordedSpace* recorded : {&all_fail, &all_but_one_fail}) {
      const std::vector<Point> points = asked_points(*recorded, kind, 1, recorded->space.size());
      const std::set<Point> different(points.begin(), points.end());
      EXPECT_EQ(points.size(), recorded->space.size()) << kind.name;
      EXPECT_EQ(different.size(), points.size()) << kind.name;
      EXPECT_LT(*different.rbegin(), recorded->space.size()) << kind.name;
    }
  }
}

TEST(Strategies, SearchSpacesOfOnePointAndOfOneParameter) {
  const ParameterSpace nothing({}, {});
  const ParameterSpace one_point({{"A", {std::int64_t{1}}}, {"B", {std::string("x")}}}, {});
  const ParameterSpace one_parameter({numbers_to("A", 7)}, {});
  const ParameterSpace two_texts({{"A", {std::string("x"), std::string("y")}}}, {});
  for (const ParameterSpace* space : {&nothing, &one_point, &one_parameter, &two_texts}) {
    RecordedSpace recorded{"small", "none", SearchSpace::of(*space), {}, {}};
    recorded.costs.assign(recorded.space.size(), 1.5);
    for (const StrategyKind& kind : strategies())
      EXPECT_EQ(asked_points(recorded, kind, 1, 100).size(), recorded.space.size()) << kind.name;
  }
}

// A space whose points are all far from each other: every repair fails.
TEST(Strategies, GoOnWhereNoPointHasANeighbour) {
  const ParameterSpace all({numbers_to("A", 12), numbers_to("B", 12)}, {Expression::parse("A == B")});
  RecordedSpace recorded{"diagonal", "none", SearchSpace::of(all), {1}, {}};
  while (recorded.costs.size() < recorded.space.size()) recorded.costs.push_back(recorded.costs.back() + 1);
  for (const StrategyKind& kind : strategies())
    EXPECT_EQ(asked_points(recorded, kind, 1, 12).size(), 12) << kind.name;
}

TEST(Strategies, HaveDefaultsWithinTheirBounds) {
  for (const StrategyKind& kind : strategies()) {
    EXPECT_NO_THROW(complete_options(kind, {})) << kind.name;
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    for (const Hyperparameter& one : kind.hyperparameters) EXPECT_FALSE(one.description.empty()) << one.name;
  }
}

TEST(Strategies, RefuseUnknownOptionsAndValuesOutOfBounds) {
  const StrategyKind& genetic = find_strategy("genetic");
  const auto complaint = [&](const std::map<std::string, double>& given) {
    try {
      complete_options(genetic, given);
      return std::string("none");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(complaint({{"populatoin", 5}}),
              ::testing::HasSubstr("strategy 'genetic' has no option 'populatoin'"));
  EXPECT_THAT(
      complaint({{"population", 1}}),
      ::testing::HasSubstr("option 'population' of strategy 'genetic' is 1, but has to be from 2 to 1e+06"));
}

TEST(Strategies, TakeNoFractionOfACount) {
  const StrategyKind& genetic = find_strategy("genetic");
  try {
    complete_options(genetic, {{"population", 3.7}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "option 'population' of strategy 'genetic' is 3.7, but has to be a whole number\n"
                 "  'tailwave list strategies' names strategies and their options");
  }
  EXPECT_EQ(complete_options(genetic, {{"population", 4}, {"mutation", 0.25}}).at("mutation"), 0.25);
  for (const StrategyKind& kind : strategies())
    for (const Hyperparameter& one : kind.hyperparameters)
      EXPECT_TRUE(!one.whole || one.default_value == std::floor(one.default_value)) << one.name;
}

}  // namespace
}  // namespace tailwave
