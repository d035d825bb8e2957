#include "space/counted_tree.h"

#include <gmock/gmock.h>

#include <cmath>

#include "space/random_spaces.h"

namespace tailwave {
namespace {

TEST(CountedTree, CountsWhatAWalkFinds) {
  Generator random(1);
  int with_some = 0;
  for (int i = 0; i < 500; ++i) {
    const ParameterSpace space = random_space(random);
    const CountedTree tree(space);
    EXPECT_TRUE(tree.is_exact());
    EXPECT_EQ(tree.size(), static_cast<double>(space.count()));
    with_some += tree.size() > 0 ? 1 : 0;
  }
  EXPECT_GT(with_some, 200);
  EXPECT_LT(with_some, 500);
}

TEST(CountedTree, DrawsValidConfigurationsOnly) {
  Generator random(2);
  for (int i = 0; i < 200; ++i) {
    const ParameterSpace space = random_space(random);
    CountedTree tree(space);
    if (tree.size() == 0) continue;
    Assignment checked(space);
    std::vector<std::uint32_t> indices;
    for (int draw = 0; draw < 20; ++draw) {
      tree.draw(random, indices);
      EXPECT_TRUE(checked.give_all(indices));
    }
  }
}

TEST(CountedTree, CountsPairsOfManyParametersWithoutWalkingThrough) {
  std::vector<Parameter> parameters;
  std::vector<Expression> constraints;
  for (int i = 0; i < 12; ++i) parameters.push_back({fmt::format("P{}", i), numbers_below(100)});
  for (int i = 0; i < 12; i += 2)
    constraints.push_back(Expression::parse(fmt::format("P{} < P{}", i, 11 - i)));
  const CountedTree tree(ParameterSpace(parameters, constraints));
  EXPECT_TRUE(tree.is_exact());
  EXPECT_NEAR(tree.size() / std::pow(4950.0, 6), 1, 1e-12);
}

// One constraint that names them all, as `requires` does: what it joins couples few values.
TEST(CountedTree, CountsBelowEachPartOfAConstraint) {
  std::vector<Parameter> parameters;
  std::string all = "P0 < P11";
  for (int i = 0; i < 12; ++i) parameters.push_back({fmt::format("P{}", i), numbers_below(100)});
  for (int i = 1; i < 6; ++i) all += fmt::format(" and P{} < P{}", i, 11 - i);
  const CountedTree tree(ParameterSpace(parameters, {Expression::parse(all)}));
  EXPECT_TRUE(tree.is_exact());
  EXPECT_NEAR(tree.size() / std::pow(4950.0, 6), 1, 1e-12);
}

// Where C is known before B is, nothing has ruled out that C is A.
TEST(CountedTree, TakesAConstraintAsAWholeWhereAPartNeedsAnother) {
  const ParameterSpace space({{"A", numbers_below(6)}, {"C", numbers_below(6)}, {"B", numbers_below(6)}},
                             {Expression::parse("A < B < C and 12 % (C - A) == 0")});
  const CountedTree tree(space);
  EXPECT_TRUE(tree.is_exact());
  EXPECT_EQ(tree.size(), 16);
  EXPECT_EQ(space.count(), 16U);
}

TEST(CountedTree, LeavesOutAWholeThatCannotBeEvaluatedEither) {
  const ParameterSpace space({{"A", numbers_below(4)}, {"B", numbers_below(5)}},
                             {Expression::parse("B > 0 and 4 // A >= 1"), Expression::parse("A + B < 5")});
  const CountedTree tree(space);
  EXPECT_FALSE(tree.is_exact());
  EXPECT_EQ(tree.size(), 5 + 4 + 3 + 2);
}

TEST(CountedTree, LeavesOutTheConstraintThatCouplesTooManyValues) {
  std::vector<Parameter> parameters;
  std::string sum = "0";
  for (int i = 0; i < 10; ++i) {
    parameters.push_back({fmt::format("P{}", i), numbers_below(10)});
    sum += fmt::format(" + P{}", i);
  }
  const ParameterSpace space(parameters, {Expression::parse(sum + " != 45"), Expression::parse("P0 < P9")});
  const CountedTree tree(space);
  EXPECT_FALSE(tree.is_exact());
  EXPECT_EQ(tree.size(), 45 * 1e8);
}

TEST(CountedTree, LeavesOutAConstraintThatCannotBeEvaluatedForSomeValues) {
  const ParameterSpace space({{"A", numbers_below(4)}, {"B", numbers_below(5)}},
                             {Expression::parse("B > 0"), Expression::parse("4 // A >= 1")});
  const CountedTree tree(space);
  EXPECT_FALSE(tree.is_exact());
  EXPECT_EQ(tree.size(), 16);
}

}  // namespace
}  // namespace tailwave
