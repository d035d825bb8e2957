#include "report/measured_problems.h"

#include <gtest/gtest.h>

#include "report/advice_data.h"

namespace tailwave {
namespace {

const Values kPoint{{"A", 3}, {"B", 8}, {"MODE", std::string("x")}};

bool allows(const std::string& spec) {
  return SpaceRules::of(spec).allow(kPoint);
}

TEST(SpaceRules, AreTheConstraintsOfASpec) {
  EXPECT_TRUE(allows(R"({"constraints": ["A * B <= 24", "MODE == 'x'"]})"));
  EXPECT_FALSE(allows(R"({"constraints": ["A * B <= 24", "A > 3"]})"));
  EXPECT_TRUE(allows("{}"));
  EXPECT_TRUE(allows("of another tuner, in no JSON"));
}

TEST(SpaceRules, AreTheConditionsOfAT1File) {
  EXPECT_TRUE(allows(R"({"ConfigurationSpace": {"Conditions": [{"Expression": "A < B"}, "B == 8"]}})"));
  EXPECT_FALSE(allows(R"({"ConfigurationSpace": {"Conditions": [{"Expression": "A > B"}]}})"));
}

TEST(SpaceRules, OfOtherVariantsDoNotMatter) {
  EXPECT_TRUE(allows(R"({"constraints": ["SPLIT * A < 0"]})"));
}

TEST(SpaceRules, ThatCannotBeReadOrEvaluatedAllowNothing) {
  EXPECT_FALSE(allows(R"({"constraints": ["A <"]})"));
  EXPECT_FALSE(allows(R"({"constraints": [7]})"));
  EXPECT_FALSE(allows(R"({"constraints": ["A % (B - 8) == 0"]})"));
  EXPECT_FALSE(allows(R"({"constraints": ["MODE + 1 > 0"]})"));
}

class MeasuredProblems : public samples::Fixture {
 protected:
  std::vector<MeasuredProblem> all(const Values& parameters) {
    std::vector<MeasuredProblem> found;
    for_each_problem(database_, parameters, [&](const std::vector<MeasuredProblem>& variants) {
      found.insert(found.end(), variants.begin(), variants.end());
    });
    return found;
  }
};

TEST_F(MeasuredProblems, HaveTheVariantsOfAGpuFastestFirst) {
  std::string text;
  for (const MeasuredProblem& one : all({}))
    text += fmt::format("{} {} {} {} {}\n", one.experiment, one.device, one.variant, one.metric,
                        one.configurations.front());
  EXPECT_EQ(
      text,
      "jacobi/block_size NVIDIA H200 atomic time jacobi/atomic/BLOCK_SIZE:256/N:4194304\n"
      "nbody/basic_block_size NVIDIA H200 basic interactions_per_second "
      "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096\n"
      "nbody/variants NVIDIA H200 basic interactions_per_second nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096\n"
      "nbody/variants NVIDIA H200 shared interactions_per_second "
      "nbody/shared/BLOCK_SIZE:128/BLOCK_STRIDE:32/FAST_MATH:true/DT:0.01/N:4096\n");
}

TEST_F(MeasuredProblems, NumberTheValuesAndKnowWhatFailed) {
  const auto found = all({{"experiment", std::string("basic_block_size")}});
  ASSERT_EQ(found.size(), 1U);
  const MeasuredProblem& one = found.front();
  EXPECT_EQ(one.parameters, std::vector<std::string>{"BLOCK_SIZE"});
  EXPECT_EQ(one.values.front(), (std::vector<Value>{1, 2, 30, 32, 1025}));
  EXPECT_EQ(one.points.points.size(), 3U);
  EXPECT_EQ(one.points.points.front().values, std::vector<std::uint32_t>{3});
  EXPECT_TRUE(one.tried.contains({4}));
  EXPECT_EQ(one.end_of({0, 0, 1}), std::vector<std::uint32_t>{1});
  EXPECT_EQ(to_text(one.values_at({0, 0, 1})), "BLOCK_SIZE = 2, DT = 0.01, N = 4096");
}

TEST_F(MeasuredProblems, AreThoseThatAreAskedFor) {
  EXPECT_EQ(all({{"experiment", std::string("nbody/variants")}}).size(), 2U);
  EXPECT_EQ(all({{"system", std::string("jacobi")}}).size(), 1U);
  EXPECT_EQ(all({{"device", std::string("Test CPU (2 cores)")}}).size(), 0U);
}

TEST_F(MeasuredProblems, HaveTheRulesOfTheirLatestRun) {
  samples::AdviceSpace{.spec = R"({"constraints": ["A + B + C < 14"]})"}.add(database_);
  const auto found = all({{"experiment", std::string("space")}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().configurations.front(), samples::AdviceSpace::name(5, 5, 3));
  EXPECT_FALSE(found.front().rules.allow(samples::AdviceSpace::values(5, 5, 4)));
}

}  // namespace
}  // namespace tailwave
