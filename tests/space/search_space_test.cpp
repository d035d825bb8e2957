#include "space/search_space.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "space/random_spaces.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<Value> integers(std::initializer_list<std::int64_t> list) {
  return {list.begin(), list.end()};
}

std::vector<Value> integers_up_to(std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t i = 1; i <= last; ++i) values.emplace_back(i);
  return values;
}

std::vector<Expression> constraints(const std::vector<std::string>& texts) {
  std::vector<Expression> all;
  for (const std::string& text : texts) all.push_back(Expression::parse(text));
  return all;
}

Point at(const SearchSpace& space, const std::vector<std::uint16_t>& digits) {
  return space.find(digits).value();
}

std::vector<Values> neighbours_of(const SearchSpace& space, Point point, Neighbourhood neighbourhood) {
  std::vector<Point> found{12345};  // to be cleared
  space.neighbours(point, neighbourhood, found);
  std::vector<Values> values;
  for (const Point one : found) values.push_back(space.values(one));
  return values;
}

Values pair(std::int64_t a, std::int64_t b) {
  return {{"A", a}, {"B", b}};
}

TEST(SearchSpace, HasTheValidConfigurationsInTheOrderOfEnumeration) {
  const ParameterSpace all({{"A", integers({1, 2, 4})}, {"B", integers({3, 2, 1})}},
                           constraints({"A * B <= 4"}));
  const SearchSpace space = SearchSpace::of(all);
  ASSERT_EQ(space.size(), 6);
  std::vector<Values> values;
  for (Point point = 0; point < space.size(); ++point) values.push_back(space.values(point));
  EXPECT_EQ(values, all.enumerate());
  EXPECT_THAT(space.digits(4), ElementsAre(1, 2));
}

TEST(SearchSpace, FindsEachConfigurationAndNoOther) {
  const ParameterSpace all({{"A", integers_up_to(50)}, {"B", integers_up_to(40)}},
                           constraints({"A * B % 7 == 3"}));
  const SearchSpace space = SearchSpace::of(all);
  std::size_t found = 0;
  for (std::uint16_t a = 0; a < 50; ++a) {
    for (std::uint16_t b = 0; b < 40; ++b) {
      const auto point = space.find(std::vector<std::uint16_t>{a, b});
      ASSERT_EQ(point.has_value(), (a + 1) * (b + 1) % 7 == 3) << a << ' ' << b;
      if (!point) continue;
      ++found;
      EXPECT_THAT(space.digits(*point), ElementsAre(a, b));
    }
  }
  EXPECT_EQ(found, space.size());
}

TEST(SearchSpace, KeepsAConfigurationThatIsAddedTwiceOnce) {
  SearchSpace space({{"A", integers({1, 2})}, {"B", integers({1, 2})}});
  EXPECT_EQ(space.add(std::vector<std::uint32_t>{1, 0}), 0);
  EXPECT_EQ(space.add(std::vector<std::uint32_t>{0, 0}), 1);
  EXPECT_EQ(space.add(std::vector<std::uint32_t>{1, 0}), 0);
  EXPECT_EQ(space.size(), 2);
  EXPECT_EQ(space.find(std::vector<std::uint16_t>{1, 1}), std::nullopt);
  EXPECT_EQ(space.values(0), pair(2, 1));
}

TEST(SearchSpace, RefusesAParameterWithoutValues) {
  try {
    const SearchSpace space(std::vector<Parameter>{{"A", {}}});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "parameter 'A' has 0 values");
  }
}

TEST(SearchSpace, OrdersNumbersBySizeAndTextsAsGiven) {
  const SearchSpace space({{"A", {std::int64_t{8}, 0.5, std::int64_t{2}}},
                           {"B", {std::string("z"), std::string("a")}},
                           {"C", {true, false}},
                           {"D", {std::int64_t{1}, std::string("auto")}}});
  EXPECT_TRUE(space.is_ordered(0));
  EXPECT_EQ(space.rank(0, 0), 2);
  EXPECT_EQ(space.rank(0, 1), 0);
  EXPECT_EQ(space.rank(0, 2), 1);
  for (std::uint16_t digit = 0; digit < 3; ++digit) EXPECT_EQ(space.digit(0, space.rank(0, digit)), digit);
  for (const std::size_t parameter : {1, 2, 3}) {
    EXPECT_FALSE(space.is_ordered(parameter));
    EXPECT_EQ(space.rank(parameter, 1), 1);
  }
}

TEST(SearchSpace, NeighboursDifferInOneParameter) {
  const SearchSpace space = SearchSpace::of(
      ParameterSpace({{"A", integers({1, 2, 4})}, {"B", integers({1, 2, 3})}}, constraints({"A + B != 5"})));
  EXPECT_THAT(neighbours_of(space, at(space, {0, 0}), Neighbourhood::hamming),
              ElementsAre(pair(2, 1), pair(1, 2), pair(1, 3)));
}

TEST(SearchSpace, AdjacentNeighboursHaveTheNextValueBySize) {
  const SearchSpace space =
      SearchSpace::of(ParameterSpace({{"A", integers({4, 1, 8, 2})}, {"B", integers({1, 2})}}, {}));
  EXPECT_THAT(neighbours_of(space, at(space, {3, 0}), Neighbourhood::adjacent),
              ElementsAre(pair(1, 1), pair(4, 1), pair(2, 2)));
  EXPECT_THAT(neighbours_of(space, at(space, {2, 1}), Neighbourhood::adjacent),
              ElementsAre(pair(4, 2), pair(8, 1)));
}

TEST(SearchSpace, AnyTwoTextsAreAdjacent) {
  const std::vector<Value> texts{std::string("a"), std::string("b"), std::string("c"), std::string("d")};
  const SearchSpace space = SearchSpace::of(ParameterSpace({{"A", texts}}, {}));
  EXPECT_EQ(neighbours_of(space, 0, Neighbourhood::adjacent).size(), 3);
}

TEST(SearchSpace, FindsTheNeighboursOfAnInvalidCombination) {
  const SearchSpace space = SearchSpace::of(
      ParameterSpace({{"A", integers({1, 2, 4})}, {"B", integers({1, 2, 3})}}, constraints({"A * B <= 4"})));
  std::vector<Point> found;
  space.neighbours(std::vector<std::uint16_t>{2, 2}, Neighbourhood::hamming, found);
  EXPECT_THAT(found, UnorderedElementsAre(at(space, {0, 2}), at(space, {2, 0})));
}

TEST(SearchSpace, APointAloneHasNoNeighbours) {
  const SearchSpace space = SearchSpace::of(ParameterSpace({{"A", integers({1})}}, {}));
  EXPECT_THAT(neighbours_of(space, 0, Neighbourhood::hamming), IsEmpty());
  EXPECT_THAT(neighbours_of(space, 0, Neighbourhood::adjacent), IsEmpty());
  const SearchSpace empty = SearchSpace::of(ParameterSpace({}, {}));
  EXPECT_EQ(empty.size(), 1);
  EXPECT_THAT(neighbours_of(empty, 0, Neighbourhood::hamming), IsEmpty());
}

TEST(SearchSpace, SamplesWithoutRepetitionAndAllWhenAskedForMore) {
  const SearchSpace space = SearchSpace::of(ParameterSpace({{"A", integers_up_to(20)}}, {}));
  Generator random(7);
  const std::vector<Point> some = space.sample(15, random);
  EXPECT_EQ(std::set<Point>(some.begin(), some.end()).size(), 15);
  const std::vector<Point> all = space.sample(100, random);
  EXPECT_EQ(std::set<Point>(all.begin(), all.end()).size(), 20);
  EXPECT_LT(*std::max_element(all.begin(), all.end()), 20);
}

TEST(SearchSpace, SamplesEachSetEquallyOften) {
  const SearchSpace space = SearchSpace::of(ParameterSpace({{"A", integers_up_to(5)}}, {}));
  Generator random(1);
  std::map<std::set<Point>, int> counts;
  for (int i = 0; i < 10'000; ++i) {
    const std::vector<Point> drawn = space.sample(2, random);
    ++counts[{drawn.begin(), drawn.end()}];
  }
  ASSERT_EQ(counts.size(), 10);
  for (const auto& [points, count] : counts) EXPECT_NEAR(count, 1000, 150);  // 5 standard deviations
}

// The hotspot space of Kernel Tuner's benchmark on a GPU with 48 KiB of shared memory a block; a separate program
// counted the valid points.
ParameterSpace coupled_space() {
  return {{{"A", integers_up_to(8)}, {"B", integers_up_to(8)}, {"C", integers_up_to(3)}},
          constraints({"A * B % 4 != 1", "B + C <= 9"})};
}

TEST(UnlistedSpace, NumbersConfigurationsAsTheyAreMet) {
  const SearchSpace space = SearchSpace::of(coupled_space(), 0);
  EXPECT_FALSE(space.is_listed());
  EXPECT_EQ(space.size(), 0);
  EXPECT_EQ(space.find(std::vector<std::uint16_t>{0, 0, 0}), std::nullopt);
  EXPECT_EQ(space.find(std::vector<std::uint16_t>{7, 1, 2}), Point{0});
  EXPECT_TRUE(space.has(std::vector<std::uint16_t>{7, 1, 1}));
  EXPECT_EQ(space.find(std::vector<std::uint16_t>{7, 2, 2}), Point{1});
  EXPECT_EQ(space.find(std::vector<std::uint16_t>{7, 1, 2}), Point{0});
  EXPECT_THAT(space.digits(0), ElementsAre(7, 1, 2));
  EXPECT_EQ(space.size(), 2);
}

TEST(UnlistedSpace, HasTheNeighboursTheOrderAndTheCountOfAListedOne) {
  const SearchSpace listed = SearchSpace::of(coupled_space()), unlisted = SearchSpace::of(coupled_space(), 0);
  EXPECT_EQ(to_string(unlisted.count()), to_string(listed.count()));
  const auto next = unlisted.in_order(), next_listed = listed.in_order();
  for (Point point = 0; point < listed.size(); ++point) {
    const Point other = next().value();
    EXPECT_EQ(next_listed(), point);
    EXPECT_EQ(unlisted.values(other), listed.values(point));
    for (const auto neighbourhood : {Neighbourhood::hamming, Neighbourhood::adjacent})
      EXPECT_EQ(neighbours_of(unlisted, other, neighbourhood), neighbours_of(listed, point, neighbourhood));
  }
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_EQ(next_listed(), std::nullopt);
}

TEST(UnlistedSpace, DrawsEachEquallyOften) {
  const SearchSpace space = SearchSpace::of(coupled_space(), 0);
  const auto cells = static_cast<std::size_t>(space.count().whole());
  std::vector<std::size_t> counts(cells, 0);
  Generator random(1);
  const std::size_t draws = 100 * cells;
  for (std::size_t i = 0; i < draws; ++i) ++counts.at(space.any(random));
  // Mean and variance of the distribution are the degrees of freedom and twice that.
  const auto freedom = static_cast<double>(cells - 1);
  EXPECT_LT(chi_square(counts, draws), freedom + 4 * std::sqrt(2 * freedom));
}

TEST(UnlistedSpace, SamplesAllWhereThereAreNoMore) {
  const SearchSpace space = SearchSpace::of(coupled_space(), 0);
  Generator random(1);
  const std::vector<Point> all = space.sample(10'000, random);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(space.count().whole()));
  EXPECT_EQ(std::set<Point>(all.begin(), all.end()).size(), all.size());
}

TEST(UnlistedSpace, SaysThatNothingIsThere) {
  const SearchSpace space =
      SearchSpace::of(ParameterSpace({{"A", integers({1, 2})}}, constraints({"A > 2"})), 0);
  EXPECT_TRUE(space.is_listed());
  Generator random(1);
  try {
    (void)space.any(random);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "found no configuration that satisfies all constraints");
  }
}

// 10^12 configurations, of which one in 100,000 is valid, far from the first in order.
TEST(UnlistedSpace, IsWhatIsHardToFind) {
  std::vector<Parameter> parameters;
  std::string sum = "0";
  for (int i = 0; i < 12; ++i) {
    parameters.push_back({"P" + std::to_string(i), integers_up_to(10)});
    sum += " + P" + std::to_string(i) + " ** 3";
  }
  const SearchSpace space = SearchSpace::of(ParameterSpace(parameters, constraints({sum + " >= 8450"})));
  EXPECT_FALSE(space.is_listed());
  Generator random(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(space.has(space.digits(space.any(random))));
}

TEST(SearchSpace, HoldsTheHotspotSpace) {
  std::vector<Value> widths = integers({1, 2, 4, 8, 16});
  for (std::int64_t width = 32; width <= 1024; width += 32) widths.emplace_back(width);
  const std::string shared_bytes =
      "(block_size_x * tile_size_x + temporal_tiling_factor * 2) * "
      "(block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4";
  const ParameterSpace all(
      {{"block_size_x", widths},
       {"block_size_y", integers({1, 2, 4, 8, 16, 32})},
       {"tile_size_x", integers_up_to(10)},
       {"tile_size_y", integers_up_to(10)},
       {"temporal_tiling_factor", integers_up_to(10)},
       {"max_tfactor", integers({10})},
       {"loop_unroll_factor_t", integers_up_to(10)},
       {"sh_power", integers({0, 1})},
       {"blocks_per_sm", integers({0})}},
      constraints({"block_size_x * block_size_y >= 32", "temporal_tiling_factor % loop_unroll_factor_t == 0",
                   "block_size_x * block_size_y <= 1024", shared_bytes + " <= 49152",
                   "blocks_per_sm == 0 or " + shared_bytes + " * blocks_per_sm <= 102400"}));
  EXPECT_EQ(all.cartesian_size(), 4'440'000);
  EXPECT_EQ(SearchSpace::of(all).size(), 82'984);
}

}  // namespace
}  // namespace tailwave
