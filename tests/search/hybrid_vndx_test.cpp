#include <gmock/gmock.h>

#include <set>

#include "search/landscape.h"
#include "search/nearest_costs.h"

namespace tailwave {
namespace {

using fakes::defaults;

constexpr std::size_t kSwitches = 20;

SearchSpace switches() {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < kSwitches; ++i) parameters.push_back({"S" + std::to_string(i), {false, true}});
  SearchSpace space(parameters);
  // Only the points that the test needs: those whose first four switches are free and the others agree, and noise.
  for (std::uint32_t low = 0; low < 16; ++low) {
    std::vector<std::uint32_t> digits(kSwitches, 0);
    for (std::size_t i = 0; i < 4; ++i) digits[i] = (low >> i) & 1U;
    space.add(digits);
  }
  Generator random(5);
  while (space.size() < 2000) {
    std::vector<std::uint32_t> digits(kSwitches);
    for (std::uint32_t& digit : digits) digit = random.below(2);
    space.add(digits);
  }
  return space;
}

// Points 0 and 15 are the best and differ in four switches; their crossings are points 1 to 14. The published program
// drops the best of its elite, and so never crosses them.
TEST(HybridVndx, CrossesTheBestThatItWasTold) {
  const SearchSpace space = switches();
  const StrategyKind& kind = find_strategy("hybrid_vndx");
  StrategyOptions options = defaults(kind);
  options["elite"] = 2;
  const SearchProblem problem{&space, 300, 1, nullptr};
  const auto strategy = kind.make(problem, options);
  strategy->tell(0, 1.0);
  strategy->tell(15, 1.1);
  for (Point point = 100; point < 150; ++point) strategy->tell(point, 5.0 + point);
  std::set<Point> crossings;
  for (int i = 0; i < 60; ++i) {
    std::vector<Point> points;
    strategy->ask(1, points);
    for (const Point point : points) {
      if (point < 16) crossings.insert(point);
      strategy->tell(point, 50);
    }
  }
  EXPECT_EQ(crossings.size(), 14);
}

TEST(NearestCosts, TakesTheMeanOfTheNearest) {
  using Row = std::vector<std::uint16_t>;
  search::NearestCosts nearest(2);
  EXPECT_EQ(nearest.predict(Row{0, 0, 0}), 0);
  nearest.add(Row{0, 0, 0}, 4);
  EXPECT_EQ(nearest.predict(Row{5, 5, 5}), 4);
  nearest.add(Row{1, 1, 1}, 8);
  nearest.add(Row{0, 0, 1}, 2);
  EXPECT_EQ(nearest.predict(Row{0, 0, 2}), 3);
  EXPECT_EQ(nearest.predict(Row{1, 1, 0}),
            6);  // 8 at distance 1; 4 was told before 2, both are at distance 2 and more
}

TEST(NearestCosts, CountsAFailureAsTheHighestCost) {
  using Row = std::vector<std::uint16_t>;
  search::NearestCosts nearest(1);
  nearest.add(Row{0, 0}, kFailed);
  EXPECT_EQ(nearest.predict(Row{0, 1}), 0);
  nearest.add(Row{7, 7}, 3);
  nearest.add(Row{8, 8}, 2);
  EXPECT_EQ(nearest.predict(Row{0, 1}), 3);
}

}  // namespace
}  // namespace tailwave
