#include "space/parameter_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::ElementsAre;

Parameter whole_numbers(const std::string& name, const std::vector<std::int64_t>& numbers) {
  return {name, {numbers.begin(), numbers.end()}};
}

Parameter up_to(const std::string& name, std::int64_t last) {
  Parameter parameter{name, {}};
  for (std::int64_t i = 1; i <= last; ++i) parameter.values.emplace_back(i);
  return parameter;
}

std::vector<Expression> parse_all(const std::vector<std::string>& texts) {
  std::vector<Expression> expressions;
  for (const std::string& text : texts) expressions.push_back(Expression::parse(text));
  return expressions;
}

std::vector<std::vector<std::uint32_t>> visited(const ParameterSpace& space) {
  std::vector<std::vector<std::uint32_t>> all;
  space.for_each([&](const std::vector<std::uint32_t>& indices) {
    all.push_back(indices);
    return true;
  });
  return all;
}

TEST(ParameterSpace, VariesTheFirstParameterSlowest) {
  const ParameterSpace space({whole_numbers("A", {1, 2}), whole_numbers("B", {5, 6, 7})}, {});
  EXPECT_EQ(space.cartesian_size(), 6);
  EXPECT_THAT(visited(space), ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(0, 2),
                                          ElementsAre(1, 0), ElementsAre(1, 1), ElementsAre(1, 2)));
}

TEST(ParameterSpace, LeavesOutWhatAConstraintRulesOut) {
  const ParameterSpace space({whole_numbers("A", {1, 2}), whole_numbers("B", {1, 2, 4})},
                             parse_all({"A * B <= N", "B % A == 0"}), {{"N", std::int64_t{4}}});
  const Values one_one{{"A", std::int64_t{1}}, {"B", std::int64_t{1}}};
  const Values one_two{{"A", std::int64_t{1}}, {"B", std::int64_t{2}}};
  const Values one_four{{"A", std::int64_t{1}}, {"B", std::int64_t{4}}};
  const Values two_two{{"A", std::int64_t{2}}, {"B", std::int64_t{2}}};
  EXPECT_THAT(space.enumerate(), ElementsAre(one_one, one_two, one_four, two_two));
  EXPECT_EQ(space.count(), 4);
}

TEST(ParameterSpace, TestsAConstraintBeforeItExtendsAPrefix) {
  // B // (A - 1) cannot be evaluated for A == 1, which the first constraint has ruled out by then.
  const ParameterSpace space({whole_numbers("A", {1, 2}), whole_numbers("B", {3, 4})},
                             parse_all({"B // (A - 1) == 4", "A > 1"}));
  EXPECT_THAT(visited(space), ElementsAre(ElementsAre(1, 1)));
}

TEST(ParameterSpace, TestsConstraintsOnFixedValuesOnce) {
  const std::vector<Parameter> parameters{whole_numbers("A", {1, 2})};
  EXPECT_EQ(ParameterSpace(parameters, parse_all({"N > 1000"}), {{"N", std::int64_t{4096}}}).count(), 2);
  EXPECT_EQ(ParameterSpace(parameters, parse_all({"N > 1000"}), {{"N", std::int64_t{512}}}).count(), 0);
}

TEST(ParameterSpace, HasOnePointWithoutParametersAndNoneWithoutValues) {
  EXPECT_EQ(ParameterSpace({}, {}).count(), 1);
  EXPECT_EQ(ParameterSpace({up_to("A", 3), {"B", {}}}, {}).count(), 0);
  EXPECT_EQ(ParameterSpace({}, parse_all({"false"})).count(), 0);
}

TEST(ParameterSpace, StopsWhenTheVisitorHasEnough) {
  const ParameterSpace space({up_to("A", 1000), up_to("B", 1000), up_to("C", 1000)}, {});
  int seen = 0;
  space.for_each([&](const std::vector<std::uint32_t>&) { return ++seen < 5; });
  EXPECT_EQ(seen, 5);
}

TEST(ParameterSpace, RefusesAConstraintOnAnUnknownName) {
  try {
    const ParameterSpace space({whole_numbers("BLOCK_SIZE", {1})}, parse_all({"2 * BLOCK_SIZ < 4"}));
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(), "unknown parameter 'BLOCK_SIZ'");
    EXPECT_EQ(error.column, 4);
    EXPECT_EQ(error.hint, "did you mean 'BLOCK_SIZE'?");
  }
}

TEST(ParameterSpace, NamesTheValuesForWhichAConstraintFails) {
  const ParameterSpace space({whole_numbers("A", {1, 0})}, parse_all({"N // A > 1"}),
                             {{"N", std::int64_t{4096}}});
  try {
    (void)space.count();
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(), "'//' by zero (N = 4096, A = 0)");
    EXPECT_EQ(error.text, "N // A > 1");
    EXPECT_EQ(error.column, 2);
  }
}

// A tiled matrix product; a separate program counted the valid points.
TEST(ParameterSpace, CountsAmongMillionsOfPoints) {
  const std::vector<std::int64_t> sizes{16, 32, 64, 128};
  const std::vector<std::int64_t> threads{8, 16, 32};
  const std::vector<std::int64_t> widths{1, 2, 4, 8};
  const ParameterSpace space(
      {whole_numbers("MWG", sizes), whole_numbers("NWG", sizes), whole_numbers("KWG", {16, 32, 64}),
       whole_numbers("MDIMC", threads), whole_numbers("NDIMC", threads), whole_numbers("MDIMA", threads),
       whole_numbers("NDIMB", threads), whole_numbers("KWI", {2, 8}), whole_numbers("VWM", widths),
       whole_numbers("VWN", widths), whole_numbers("STRM", {0, 1}), whole_numbers("STRN", {0, 1}),
       whole_numbers("SA", {0, 1}), whole_numbers("SB", {0, 1}), whole_numbers("PRECISION", {16, 32})},
      parse_all({"KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0",
                 "MWG % (MDIMA * VWM) == 0", "NWG % (NDIMB * VWN) == 0",
                 "KWG % ((MDIMC * NDIMC) // MDIMA) == 0", "KWG % ((MDIMC * NDIMC) // NDIMB) == 0",
                 "(MWG * KWG * SA + NWG * KWG * SB) * 4 <= 16384"}));
  EXPECT_EQ(space.cartesian_size(), 3981312);
  EXPECT_EQ(space.count(), 619168);
}

TEST(ParameterSpace, CountsAmongMillionsOfPointsThatOnlyTheLastParameterDecides) {
  const ParameterSpace space({up_to("A", 60), up_to("B", 40), up_to("C", 46), up_to("D", 40)},
                             parse_all({"A * B * C * D % 1000 == 0 and D <= 32"}));
  EXPECT_EQ(space.cartesian_size(), 4416000);
  EXPECT_EQ(space.count(), 128543);
}

}  // namespace
}  // namespace tailwave
