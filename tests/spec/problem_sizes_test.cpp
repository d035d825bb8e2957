#include "spec/problem_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fakes/sample_experiment.h"
#include "spec/enumerate.h"
#include "spec/overrides.h"
#include "spec/problem_space.h"
#include "spec/select.h"
#include "spec/spec_tree.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The stencil's block sizes on these sizes, of the variant that has them.
void list(const SpecTree& tree, const std::string& sizes) {
  tree.replace(kSpec, R"({"N": [64, 128]})", sizes);
}

std::vector<std::string> problems_of(const Experiment& experiment, bool on_cpu = false) {
  std::vector<std::string> problems;
  for (const ProblemSpace& space : problem_spaces(experiment, VariantSpec::Target::cuda, on_cpu).spaces)
    problems.push_back(to_string(space.problem().at("N")) + "/" + to_string(space.problem().at("DT")));
  return problems;
}

std::string found_wrong(const std::string& sizes) {
  const SpecTree tree;
  list(tree, sizes);
  return tree.problems();
}

TEST(ProblemSizes, AreTheProblemsAndNoCombinationsOfThem) {
  const SpecTree tree;
  list(tree, R"([{"N": 128, "DT": 0.5, "weight": 3}, {"N": 64}, {"DT": 0.25}])");
  ASSERT_EQ(tree.problems(), "");
  const Experiment experiment = tree.load();
  const std::string n = to_string(experiment.system.problem.at("N").default_value);
  EXPECT_THAT(problems_of(experiment), ElementsAre("128/0.5", "64/1", n + "/0.25"));
  EXPECT_EQ(experiment.sizes.at(0).weight, 3);
  EXPECT_EQ(experiment.sizes.at(1).weight, 1);
  EXPECT_TRUE(experiment.problem.empty());
}

TEST(ProblemSizes, OfTheCpuDeviceAreAllThatItHas) {
  const SpecTree tree;
  tree.replace(kSpec, R"({"N": [64, 128]})", R"([{"N": 128, "DT": 0.5}])");
  tree.replace(kSpec, R"("devices": {"cpu": {)", R"("devices": {"cpu": {"problem": {"N": [32]}, )");
  ASSERT_EQ(tree.problems(), "");
  EXPECT_THAT(problems_of(tree.load(), true), ElementsAre("32/1"));
  EXPECT_THAT(problems_of(tree.load(), false), ElementsAre("128/0.5"));
}

TEST(ProblemSizes, AreRefusedWithThePlaceAndTheCause) {
  const std::string at = std::string(kSpec) + ": /problem/";
  EXPECT_EQ(found_wrong(R"([{"M": 64}])"), at + "0/M: unknown problem quantity 'M'\n  did you mean 'N'?");
  EXPECT_EQ(found_wrong(R"([{"N": 64, "weight": 0}])"), at + "0/weight: expected more than 0, found 0");
  EXPECT_EQ(found_wrong(R"([{"N": 64, "weight": "3"}])"), at + "0/weight: expected a number, found a string");
  EXPECT_THAT(found_wrong(R"([{"N": [64]}])"), HasSubstr(at + "0/N: expected "));
  EXPECT_THAT(found_wrong(R"([{"N": 0.5}])"), HasSubstr(at + "0/N: expected "));
  EXPECT_EQ(found_wrong(R"([{"N": 64}, {"N": 64, "DT": 1, "weight": 2}])"),
            at + "1: the size DT = 1, N = 64 is given twice\n  a size that counts more has a larger weight");
  EXPECT_EQ(found_wrong("[]"), std::string(kSpec) + ": /problem: the array is empty");
}

TEST(ProblemSizes, CannotHaveAWeightThatIsAQuantity) {
  System system;
  system.problem["weight"] = {ScalarType::int32, std::int64_t{1}};
  Diagnostics diagnostics;
  Reporter reporter("a.json", diagnostics);
  const Json problem(nlohmann::ordered_json::parse(R"([{"weight": 2}])"), "a.json");
  EXPECT_TRUE(read_sizes(problem, system, reporter).empty());
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_THAT(to_string(diagnostics[0]), HasSubstr("the system's quantity 'weight' cannot be told from"));
}

TEST(ProblemSizes, AreChosenByAFilterAndSetByHand) {
  const SpecTree tree;
  list(tree, R"([{"N": 128, "DT": 0.5}, {"N": 64, "DT": 0.5}, {"N": 64}])");
  const Experiment experiment = tree.load();
  for (const Configuration& one : select_from(experiment, false, "N=64,DT=0.5,variant=tiled").selected)
    EXPECT_THAT(one.name(), HasSubstr("/DT:0.5/N:64"));
  EXPECT_THROW((void)select_from(experiment, false, "N=128,DT=1"), Error);
  EXPECT_THAT(problems_of(with_overrides(experiment, {.settings = {"N=256"}})),
              ElementsAre("256/0.5", "256/1"));
}

// Too many to go through: a filter leaves fewer before anything is enumerated.
TEST(ProblemSizes, AreLeftByAFilterOfALargeSpace) {
  std::vector<Value> values;
  for (std::int64_t i = 1; i <= 1500; ++i) values.emplace_back(i);
  Experiment experiment = fakes::twice_experiment(values);
  experiment.system.variants.at(0).parameters.emplace_back("UNROLL", std::int64_t{1});
  experiment.cases.at(0).parameters.push_back({"UNROLL", values});
  experiment.problem.clear();
  const auto size = [](std::int64_t n) { return ProblemSize{{{"N", n}}}; };
  experiment.sizes = {size(64), size(128)};
  experiment.cpu_sizes = {size(32)};
  const auto chosen = [&](bool on_cpu, const std::string& n) {
    std::vector<std::string> names;
    for (const Configuration& one : select_from(experiment, on_cpu, "BLOCK_SIZE=3,UNROLL=4,N=" + n).selected)
      names.push_back(one.name());
    return names;
  };
  EXPECT_THAT(chosen(false, "128"), ElementsAre("twice/twice/BLOCK_SIZE:3/UNROLL:4/N:128"));
  EXPECT_THAT(chosen(true, "32"), ElementsAre("twice/twice/BLOCK_SIZE:3/UNROLL:4/N:32"));
  EXPECT_THROW(chosen(true, "128"), Error);
  EXPECT_THROW(chosen(false, "32"), Error);
  EXPECT_THROW(chosen(false, "7"), Error);
}

TEST(ProblemSizes, HaveTheirWeightInAStoredSpec) {
  const std::string spec = R"({"problem": [{"N": 64, "weight": 3}, {"N": 64, "M": 2, "weight": 5}, {}],
                               "devices": {"cpu": {"problem": [{"N": 8, "weight": 7}]}}})";
  const auto weight = [&](std::int64_t n, std::int64_t m, bool on_cpu = false) {
    return weight_in_spec(spec, {{"N", n}, {"M", m}}, on_cpu);
  };
  EXPECT_EQ(weight(64, 1), 3);
  EXPECT_EQ(weight(64, 2), 5);
  EXPECT_EQ(weight(32, 1), 1);
  EXPECT_EQ(weight(8, 1, true), 7);
  EXPECT_EQ(weight(64, 1, true), 1);
  for (const char* other : {"", "{}", "[]", R"({"problem": {"N": [64]}})", R"({"problem": [3, {"N": [1]}]})"})
    EXPECT_EQ(weight_in_spec(other, {{"N", std::int64_t{64}}}, false), 1) << other;
}

}  // namespace
}  // namespace tailwave
