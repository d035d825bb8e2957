// What is known from another device or another problem, and how far it is trusted.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/landscape.h"
#include "search/replay.h"
#include "search/spread.h"

namespace tailwave {
namespace {

using ::testing::ElementsAre;

// 16 x 12 x 8 configurations whose cost has one valley, at another place where `shift` is another.
RecordedSpace bowl(double shift) {
  std::vector<Parameter> parameters;
  for (const auto& [name, count] : {std::pair("a", 16), {"b", 12}, {"c", 8}}) {
    Parameter& one = parameters.emplace_back(Parameter{name, {}});
    for (std::int64_t i = 0; i < count; ++i) one.values.emplace_back(i);
  }
  RecordedSpace recorded{"bowl", "", SearchSpace::of(ParameterSpace(parameters, {})), {}, {}};
  for (Point point = 0; point < recorded.space.size(); ++point) {
    const auto digits = recorded.space.digits(point);
    const double a = digits[0] - 4 - shift, b = digits[1] - 7, c = digits[2] - 5 + shift;
    recorded.costs.push_back(1 + 0.1 * a * a + 0.3 * b * b + 0.2 * c * c + 0.01 * (point % 5));
  }
  return recorded;
}

PriorCosts costs_of(const RecordedSpace& recorded, const std::function<double(std::size_t)>& cost) {
  std::vector<std::pair<Point, double>> costs;
  for (Point point = 0; point < recorded.costs.size(); ++point) costs.emplace_back(point, cost(point));
  return PriorCosts(std::move(costs));
}

// What a point cost elsewhere, by seed and point.
using Elsewhere = std::function<double(std::uint64_t, std::size_t)>;

// The score over 40 evaluations, the mean of 20 seeds.
double score_with(const Elsewhere& cost) {
  constexpr std::uint64_t kSeeds = 20;
  RecordedSpace recorded = bowl(0);
  SpaceStatistics statistics = analyse(recorded);
  statistics.budget = std::min<std::size_t>(statistics.budget, 40);
  const StrategyKind& kind = find_strategy("wave_guided");
  const StrategyOptions options = complete_options(kind, {});
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    if (cost)
      recorded.prior = std::make_shared<const PriorCosts>(
          costs_of(recorded, [&](std::size_t point) { return cost(seed, point); }));
    sum += score(statistics, fakes::lowest_of_search(recorded, kind, options, seed, statistics.budget)).mean;
  }
  return sum / kSeeds;
}

double anything(std::uint64_t seed, std::size_t point) {
  return static_cast<double>(split_mix(1000 * seed + point) >> 40U) + 1;
}

TEST(PriorCosts, RankFromTheCheapestAndPutTheUnknownInTheMiddle) {
  const PriorCosts prior({{5, 30}, {1, 10}, {7, kFailed}, {2, 20}, {9, kFailed}});
  EXPECT_THAT(prior.best_first(), ElementsAre(1, 2, 5));
  EXPECT_EQ(prior.rank(1), 0);
  EXPECT_NEAR(prior.rank(2), std::log(2.0) / std::log(6.0), 1e-6);
  EXPECT_EQ(prior.rank(7), prior.rank(9));
  EXPECT_NEAR(prior.rank(100), std::log(3.5) / std::log(6.0), 1e-6);
}

TEST(PriorCosts, OfSeveralPlacesAreInTheOrderOfMeanRanks) {
  const PriorCosts prior = PriorCosts::of({{{1, 10}, {2, 20}, {3, 30}, {4, kFailed}},
                                           {{1, 9}, {2, 1}, {3, 0.5}, {4, 20}},
                                           {{1, kFailed}, {2, 1}, {4, kFailed}}});
  EXPECT_THAT(prior.best_first(), ElementsAre(2, 3, 1));
  EXPECT_EQ(prior.rank(4), PriorCosts({{1, 1}, {2, 2}, {3, 3}, {4, 4}}).rank(4)) << "failed in two of three";
}

TEST(PriorTrust, ComesWithACorrelationAndGoesWithoutOne) {
  std::vector<std::pair<Point, double>> costs;
  for (Point point = 0; point < 100; ++point) costs.emplace_back(point, point + 1.0);
  const PriorCosts prior(costs);
  PriorTrust same(&prior), reversed(&prior), unrelated(&prior);
  for (Point point = 0; point < 12; ++point) {
    if (point < 9) {
      EXPECT_FALSE(same.changes()) << "too few points";
    }
    same.tell(point * 8, 5.0 + point);
    reversed.tell(point * 8, 50.0 - point);
    unrelated.tell(point * 8, point % 2 == 0 ? 1 : 2);
  }
  EXPECT_TRUE(same.changes());
  EXPECT_GT(same.rank(50), same.rank(10));
  EXPECT_TRUE(reversed.changes());
  EXPECT_FALSE(unrelated.changes());
  EXPECT_EQ(unrelated.rank(50), unrelated.rank(10));
  for (Point point = 0; point < 100; ++point) same.tell(point, anything(1, point));
  EXPECT_TRUE(same.changes()) << "what is no longer true is no longer trusted";
}

TEST(WaveGuided, FindsMoreWithWhatIsKnownOfASimilarSpace) {
  const RecordedSpace similar = bowl(1);
  EXPECT_GT(score_with([&](std::uint64_t, std::size_t point) { return similar.costs[point]; }),
            score_with({}) + 0.1);
}

TEST(WaveGuided, LosesLittleByKnowledgeThatIsWrong) {
  const double without = score_with({});
  EXPECT_GT(score_with(anything), without - 0.15);
  const RecordedSpace same = bowl(0);
  EXPECT_GT(score_with([&](std::uint64_t, std::size_t point) { return 1 / same.costs[point]; }),
            without - 0.15);
}

TEST(SpreadPoints, AreFartherApartThanRandomOnes) {
  const RecordedSpace recorded = bowl(0);
  const SearchProblem problem{&recorded.space, 10, 1, nullptr};
  const auto least_gap = [&](const std::vector<Point>& points) {
    double least = 3;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const auto one = recorded.space.digits(points[i]), other = recorded.space.digits(points[k]);
        least = std::min(least, std::abs(one[0] - other[0]) / 15.0 + std::abs(one[1] - other[1]) / 11.0 +
                                    std::abs(one[2] - other[2]) / 7.0);
      }
    return least;
  };
  double spread_gaps = 0, random_gaps = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Generator random(seed);
    search::SpreadPoints spread(problem);
    std::vector<Point> points;
    for (int i = 0; i < 6; ++i)
      points.push_back(*spread.next([&] { return std::optional(recorded.space.any(random)); }));
    spread_gaps += least_gap(points);
    random_gaps += least_gap(recorded.space.sample(6, random));
  }
  EXPECT_GT(spread_gaps, 2 * random_gaps);
  search::SpreadPoints none(problem);
  EXPECT_EQ(none.next([] { return std::optional<Point>(); }), std::nullopt);
}

}  // namespace
}  // namespace tailwave
