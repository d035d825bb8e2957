#include "search/search.h"

#include <gmock/gmock.h>

#include <set>

namespace tailwave {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SearchSpace numbers(std::int64_t count) {
  Parameter n{"N", {}};
  for (std::int64_t i = 0; i < count; ++i) n.values.emplace_back(i);
  return SearchSpace::of(ParameterSpace({n}, {}));
}

// Asks for the points of a list, one at a time, and notes what it is told.
class Scripted : public Strategy {
 public:
  Scripted(std::vector<Point> points, std::vector<std::pair<Point, double>>& told)
      : points_(std::move(points)), told_(told) {}
  void ask(std::size_t /*most*/, std::vector<Point>& points) override {
    if (next_ < points_.size()) points.push_back(points_[next_++]);
  }
  void tell(Point point, double cost) override { told_.emplace_back(point, cost); }

 private:
  std::vector<Point> points_;
  std::size_t next_ = 0;
  std::vector<std::pair<Point, double>>& told_;
};

TEST(Search, AnswersARepeatedQuestionFromMemory) {
  const SearchSpace space = numbers(10);
  std::vector<std::pair<Point, double>> told;
  Search search({&space, 10, 1, nullptr}, std::make_unique<Scripted>(std::vector<Point>{4, 4, 7}, told));
  EXPECT_THAT(search.next(1), ElementsAre(4));
  search.report(4, 2.5);
  EXPECT_THAT(search.next(1), ElementsAre(7));
  EXPECT_THAT(told, ElementsAre(std::pair(4U, 2.5), std::pair(4U, 2.5)));
}

TEST(Search, GoesOnAtRandomWhenAStrategyHasNoMoreToAsk) {
  const SearchSpace space = numbers(10);
  std::vector<std::pair<Point, double>> told;
  Search search({&space, 10, 1, nullptr}, std::make_unique<Scripted>(std::vector<Point>{4}, told));
  std::set<Point> points;
  while (!search.exhausted())
    for (const Point point : search.next(3)) {
      points.insert(point);
      search.report(point, 1);
    }
  EXPECT_THAT(points, SizeIs(10));
  EXPECT_THAT(search.next(3), IsEmpty());
  EXPECT_THAT(search.history(), SizeIs(10));
}

TEST(Search, NeverHandsOutWhatIsImpossible) {
  const SearchSpace space = numbers(4);
  const PointFacts possible, impossible{.features = {}, .impossible = true};
  const Knowledge knowledge = Knowledge::of({}, {possible, impossible, possible, impossible});
  std::vector<std::pair<Point, double>> told;
  Search search({&space, 4, 1, &knowledge}, std::make_unique<Scripted>(std::vector<Point>{1, 2}, told));
  EXPECT_THAT(search.next(1), ElementsAre(2));
  EXPECT_THAT(told, ElementsAre(std::pair(1U, kFailed)));
  search.report(2, 1);
  EXPECT_THAT(search.next(1), ElementsAre(0));
  EXPECT_TRUE(search.exhausted());
}

TEST(Search, RefusesTheCostOfAPointThatWasNotHandedOut) {
  const SearchSpace space = numbers(4);
  const StrategyKind& kind = find_strategy("random");
  const SearchProblem problem{&space, 4, 1, nullptr};
  Search search(problem, kind.make(problem, {}));
  EXPECT_THROW(search.report(0, 1), std::invalid_argument);
  const Point point = search.next(1).at(0);
  search.report(point, 1);
  EXPECT_THROW(search.report(point, 1), std::invalid_argument);
}

}  // namespace
}  // namespace tailwave
