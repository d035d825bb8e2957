// Every strategy on spaces that are too large to be listed.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "search/search.h"

namespace tailwave {
namespace {

std::vector<Value> numbers(std::initializer_list<std::int64_t> list) {
  return {list.begin(), list.end()};
}

std::vector<Value> numbers_from_1_to(std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t i = 1; i <= last; ++i) values.emplace_back(i);
  return values;
}

// 10^10 configurations, no constraint.
SearchSpace free_space() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 10; ++i) parameters.push_back({"P" + std::to_string(i), numbers_from_1_to(10)});
  return SearchSpace::of(ParameterSpace(parameters, {}));
}

// Shaped like the FFT of benchmark suites: 8.05e11 combinations, which constraints couple.
SearchSpace fft_like() {
  const std::vector<Parameter> parameters{
      {"block_size_x", numbers({32, 64, 96, 128, 192, 256, 384, 512, 768, 1024})},
      {"radix_a", numbers_from_1_to(16)},
      {"radix_b", numbers_from_1_to(16)},
      {"radix_c", numbers_from_1_to(16)},
      {"batch", numbers({1, 2, 4, 8, 16, 32, 64, 128})},
      {"pad", numbers_from_1_to(16)},
      {"unroll", numbers({1, 2, 4, 8, 16})},
      {"vec", numbers({1, 2, 4})},
      {"twiddle", numbers_from_1_to(16)},
      {"order", numbers_from_1_to(8)},
      {"split", numbers_from_1_to(10)},
      {"flush", {false, true}},
      {"layout", {std::string("row"), std::string("column")}},
      {"cache", {false, true}},
      {"warps", numbers({1, 2})}};
  std::vector<Expression> constraints;
  for (const char* text :
       {"radix_a * radix_b * radix_c <= 512", "block_size_x % radix_a == 0", "block_size_x * batch <= 4096",
        "(block_size_x * vec * batch + pad) * 8 <= 49152", "unroll <= radix_c", "pad % vec == 0",
        "split <= batch", "twiddle < radix_a or order % 2 == 0",
        "radix_a + radix_b + radix_c + unroll + vec + twiddle + order + split + pad + batch <= 100"})
    constraints.push_back(Expression::parse(text));
  return SearchSpace::of(ParameterSpace(parameters, constraints));
}

// A bowl over the ranks of values, with some failures.
double cost_of(const SearchSpace& space, Point point) {
  double cost = 1;
  const auto digits = space.digits(point);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const auto last = static_cast<double>(space.parameters()[i].values.size() - 1);
    const double place = last == 0 ? 0 : space.rank(i, digits[i]) / last - 0.6;
    cost += place * place;
  }
  return digits[1] == 4 ? kFailed : cost;
}

struct Found {
  std::vector<std::vector<std::uint16_t>> rows;  // in the order of asking
  double lowest = kFailed;
};

Found search_in(const SearchSpace& space, const StrategyKind& kind, std::uint64_t seed, std::size_t budget,
                std::size_t at_once) {
  const SearchProblem problem{&space, budget, seed, nullptr};
  Search search(problem, kind.make(problem, complete_options(kind, {})));
  Found found;
  while (search.history().size() < budget) {
    const std::vector<Point> points = search.next(at_once);
    EXPECT_FALSE(points.empty());
    for (const Point point : points) {
      const auto row = space.digits(point);
      EXPECT_TRUE(space.has(row));
      found.rows.emplace_back(row.begin(), row.end());
      const double cost = cost_of(space, point);
      found.lowest = std::min(found.lowest, cost);
      search.report(point, cost);
    }
  }
  return found;
}

class LargeSpaces : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] const StrategyKind& kind() const { return find_strategy(GetParam()); }
};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const StrategyKind& kind : strategies()) names.push_back(kind.name);
  return names;
}

TEST_P(LargeSpaces, AreSearchedForDifferentValidConfigurations) {
  for (const SearchSpace& space : {free_space(), fft_like()}) {
    ASSERT_FALSE(space.is_listed());
    const Found found = search_in(space, kind(), 1, 100, 3);
    EXPECT_EQ(std::set(found.rows.begin(), found.rows.end()).size(), found.rows.size());
    EXPECT_LT(found.lowest, kFailed);
  }
}

TEST_P(LargeSpaces, GiveTheSameSequenceForTheSameSeed) {
  EXPECT_EQ(search_in(fft_like(), kind(), 7, 40, 1).rows, search_in(fft_like(), kind(), 7, 40, 1).rows);
}

INSTANTIATE_TEST_SUITE_P(Each, LargeSpaces, testing::ValuesIn(all_names()),
                         [](const auto& tested) { return tested.param; });

TEST(LargeSpaces, AreSearchedBetterByWhatLearns) {
  const double random = search_in(free_space(), find_strategy("random"), 1, 200, 1).lowest;
  for (const StrategyKind& kind : strategies()) {
    if (kind.name == "exhaustive" || kind.name == "random") continue;
    EXPECT_LT(search_in(free_space(), kind, 1, 200, 1).lowest, random) << kind.name;
  }
}

TEST(LargeSpaces, AreExhaustedWhenAllThatAreThereAreAskedFor) {
  const ParameterSpace few({{"A", numbers({1, 2, 3})}, {"B", numbers({1, 2})}},
                           {Expression::parse("A != B")});
  const SearchSpace space = SearchSpace::of(few, 3);
  ASSERT_FALSE(space.is_listed());
  for (const StrategyKind& kind : strategies()) {
    const SearchProblem problem{&space, 10, 1, nullptr};
    Search search(problem, kind.make(problem, complete_options(kind, {})));
    for (std::vector<Point> points = search.next(1); !points.empty(); points = search.next(1))
      for (const Point point : points) search.report(point, cost_of(space, point));
    EXPECT_TRUE(search.exhausted()) << kind.name;
    EXPECT_EQ(search.history().size(), 4U) << kind.name;
  }
}

TEST(LargeSpaces, AreSearchedAroundWhatIsImpossible) {
  const SearchSpace space = free_space();
  PointFacts facts;
  Knowledge knowledge;
  knowledge.facts = [&](Point point) -> const PointFacts& {
    facts.impossible = space.digits(point).front() < 8;
    return facts;
  };
  for (const StrategyKind& kind : strategies()) {
    if (kind.name == "exhaustive") continue;
    const SearchProblem problem{&space, 30, 1, &knowledge};
    Search search(problem, kind.make(problem, complete_options(kind, {})));
    while (search.history().size() < 30)
      for (const Point point : search.next(1)) {
        EXPECT_GE(space.digits(point).front(), 8) << kind.name;
        search.report(point, cost_of(space, point));
      }
  }
}

}  // namespace
}  // namespace tailwave
