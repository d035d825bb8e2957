#include "spec/problem_space.h"

#include <gmock/gmock.h>

#include "fakes/sample_experiment.h"
#include "spec/enumerate.h"
#include "spec/select.h"

namespace tailwave {
namespace {

constexpr auto kCuda = VariantSpec::Target::cuda;

// "twice" with block sizes, and "wide" that also unrolls.
Experiment two_variants() {
  Experiment experiment = fakes::twice_experiment({std::int64_t{8}, std::int64_t{16}});
  VariantSpec wide = experiment.system.variants.front();
  wide.name = "wide";
  wide.parameters.emplace_back("UNROLL", std::int64_t{4});
  experiment.system.variants.push_back(wide);
  experiment.cases.push_back({"wide",
                              {{"BLOCK_SIZE", {std::int64_t{16}, std::int64_t{64}}},
                               {"UNROLL", {std::int64_t{1}, std::int64_t{2}}}}});
  experiment.cases.push_back({"wide", {{"BLOCK_SIZE", {std::int64_t{64}}}}});
  return experiment;
}

std::vector<Configuration> all_of(const ProblemSpaces& spaces) {
  std::vector<Configuration> all;
  for (const ProblemSpace& space : spaces.spaces)
    for (Point point = 0; point < space.points().size(); ++point) all.push_back(space.configuration(point));
  return all;
}

TEST(ProblemSpaces, HaveTheConfigurationsOfTheExperimentInItsOrder) {
  Experiment experiment = two_variants();
  experiment.problem = {{"N", {std::int64_t{64}, std::int64_t{128}}}};
  experiment.constraints = {Expression::parse("BLOCK_SIZE * UNROLL < 128")};
  const ProblemSpaces spaces = problem_spaces(experiment, kCuda, false);
  ASSERT_EQ(spaces.spaces.size(), 2U);
  EXPECT_EQ(spaces.spaces[1].problem().at("N"), Value{std::int64_t{128}});
  EXPECT_EQ(all_of(spaces), enumerate(experiment, false).configurations);
}

TEST(ProblemSpaces, HaveAColumnForVariantsAndEachParameterOfACase) {
  const ProblemSpaces spaces = problem_spaces(two_variants(), kCuda, false);
  const std::vector<Parameter>& columns = spaces.spaces.at(0).points().parameters();
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0], (Parameter{"variant", {std::string("twice"), std::string("wide")}}));
  EXPECT_EQ(columns[1], (Parameter{"BLOCK_SIZE", {std::int64_t{8}, std::int64_t{16}, std::int64_t{64}}}));
  EXPECT_EQ(columns[2], (Parameter{"UNROLL", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}}));
  EXPECT_EQ(problem_spaces(fakes::twice_experiment({std::int64_t{8}}), kCuda, false)
                .spaces.at(0)
                .points()
                .parameters()
                .size(),
            1U);
}

TEST(ProblemSpaces, FindWhatTheyHaveAndNothingElse) {
  const Experiment experiment = two_variants();
  const ProblemSpaces spaces = problem_spaces(experiment, kCuda, false);
  const ProblemSpace& space = spaces.spaces.at(0);
  for (Point point = 0; point < space.points().size(); ++point)
    EXPECT_EQ(space.find(space.configuration(point)), point);
  Configuration other = space.configuration(0);
  other.parameters["BLOCK_SIZE"] = std::int64_t{64};  // only of the other variant
  EXPECT_EQ(space.find(other), std::nullopt);
  other.parameters["BLOCK_SIZE"] = std::int64_t{9};
  EXPECT_EQ(space.find(other), std::nullopt);
  other = space.configuration(0);
  other.problem["N"] = std::int64_t{65};
  EXPECT_EQ(space.find(other), std::nullopt);
  other.variant = "host_twice";
  EXPECT_EQ(space.find(other), std::nullopt);
}

TEST(ProblemSpaces, HaveOneTargetOnly) {
  Experiment experiment = two_variants();
  experiment.cases.push_back({"host_twice", {}});
  EXPECT_EQ(all_of(problem_spaces(experiment, kCuda, false)).size() + 1,
            enumerate(experiment, false).configurations.size());
  const ProblemSpaces host = problem_spaces(experiment, VariantSpec::Target::host, false);
  EXPECT_EQ(all_of(host).at(0).variant, "host_twice");
}

TEST(ProblemSpaces, LeaveOutWhatTheCpuDeviceDoesNotTake) {
  Experiment experiment = two_variants();
  experiment.cpu_constraints = {Expression::parse("BLOCK_SIZE < 64")};
  experiment.cpu_problem = {{"N", {std::int64_t{16}}}};
  const ProblemSpaces spaces = problem_spaces(experiment, kCuda, true);
  const Enumeration all = enumerate(experiment, true);
  EXPECT_EQ(all_of(spaces), all.configurations);
  EXPECT_EQ(spaces.left_out_on_cpu, all.left_out_on_cpu);
}

// Of a space that is not listed, in the order of the spec.
std::vector<Configuration> in_order(const ProblemSpace& space) {
  std::vector<Configuration> all;
  const auto next = space.points().in_order();
  while (const std::optional<Point> point = next()) all.push_back(space.configuration(*point));
  return all;
}

TEST(ProblemSpaces, HaveTheSameConfigurationsWhereTheyAreNotListed) {
  Experiment experiment = two_variants();
  experiment.problem = {{"N", {std::int64_t{64}, std::int64_t{128}}}};
  experiment.constraints = {Expression::parse("BLOCK_SIZE * UNROLL < 128")};
  experiment.cpu_constraints = {Expression::parse("BLOCK_SIZE != 8")};
  for (const bool for_cpu_device : {false, true}) {
    const ProblemSpaces listed = problem_spaces(experiment, kCuda, for_cpu_device);
    const ProblemSpaces drawn = problem_spaces(experiment, kCuda, for_cpu_device, 0);
    ASSERT_EQ(drawn.spaces.size(), listed.spaces.size());
    for (std::size_t i = 0; i < listed.spaces.size(); ++i) {
      const ProblemSpace &one = listed.spaces[i], &other = drawn.spaces[i];
      EXPECT_FALSE(other.points().is_listed());
      EXPECT_EQ(other.problem(), one.problem());
      EXPECT_EQ(in_order(other), in_order(one));
      for (Point point = 0; point < one.points().size(); ++point)
        EXPECT_TRUE(other.has(one.configuration(point)));
    }
  }
}

TEST(ProblemSpaces, OfShardsHaveEachConfigurationOnceListedOrNot) {
  Experiment experiment = two_variants();
  experiment.problem = {{"N", {std::int64_t{64}, std::int64_t{128}}}};
  const std::vector<Configuration> all = all_of(problem_spaces(experiment, kCuda, false));
  std::vector<Configuration> listed, drawn;
  for (std::size_t number = 1; number <= 3; ++number) {
    const Shard shard{number, 3};
    const std::vector<Configuration> own =
        all_of(problem_spaces(experiment, kCuda, false, SearchSpace::kMostListed, shard));
    listed.insert(listed.end(), own.begin(), own.end());
    for (const ProblemSpace& space : problem_spaces(experiment, kCuda, false, 0, shard).spaces) {
      EXPECT_FALSE(space.points().count().is_exact);
      for (const Configuration& one : in_order(space)) {
        EXPECT_TRUE(shard.has(one.name()));
        EXPECT_TRUE(space.has(one));
        drawn.push_back(one);
      }
    }
  }
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(all));
  EXPECT_THAT(drawn, testing::UnorderedElementsAreArray(all));
}

TEST(ProblemSpaces, OfAShardThatAreNotListedDrawItsOwn) {
  std::vector<Value> sizes;
  for (std::int64_t size = 1; size <= 1000; ++size) sizes.emplace_back(size);
  const Experiment experiment = fakes::twice_experiment(std::move(sizes));
  const Shard shard{7, 50};
  const ProblemSpaces spaces = problem_spaces(experiment, kCuda, false, 0, shard);
  const SearchSpace& points = spaces.spaces.at(0).points();
  Generator random(1);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(shard.has(spaces.spaces.front().configuration(points.any(random)).name()));
  EXPECT_LE(points.count().number, static_cast<double>(in_order(spaces.spaces.front()).size()));
}

TEST(ProblemSpaces, NameTheConstraintThatADrawnConfigurationCannotBeEvaluatedFor) {
  Experiment experiment = two_variants();
  experiment.constraints = {Expression::parse("N // (BLOCK_SIZE - 64) < 0")};
  try {
    problem_spaces(experiment, kCuda, false, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "experiments/twice/block_size.json: /constraints/0: '//' by zero (N = 64, BLOCK_SIZE = 64)\n"
                 "  N // (BLOCK_SIZE - 64) < 0\n"
                 "    ^");
  }
}

// 10^10 configurations of one variant.
Experiment large_experiment() {
  Experiment experiment = fakes::twice_experiment({std::int64_t{32}});
  VariantSpec& variant = experiment.system.variants.front();
  for (int i = 0; i < 10; ++i) {
    Parameter parameter{"P" + std::to_string(i), {}};
    for (std::int64_t value = 0; value < 10; ++value) parameter.values.emplace_back(value);
    variant.parameters.emplace_back(parameter.name, std::int64_t{0});
    experiment.cases.front().parameters.push_back(parameter);
  }
  return experiment;
}

std::string refusal(const Experiment& experiment, const std::string& filter) {
  try {
    (void)select_from(experiment, false, filter);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(CountConfigurations, CountsWhatEnumerateFinds) {
  Experiment experiment = two_variants();
  experiment.problem = {{"N", {std::int64_t{64}, std::int64_t{128}}}};
  experiment.constraints = {Expression::parse("BLOCK_SIZE * UNROLL < N")};
  experiment.cases.push_back({"host_twice", {}});
  EXPECT_EQ(to_string(count_configurations(experiment, false)),
            std::to_string(enumerate(experiment, false).configurations.size()));
  experiment.cases.erase(experiment.cases.begin() + 2);
  EXPECT_EQ(to_string(count_configurations(experiment, false)),
            std::to_string(enumerate(experiment, false).configurations.size()));
  EXPECT_EQ(to_string(count_configurations(large_experiment(), false)), "10000000000");
}

TEST(SelectFrom, RefusesToGoThroughALargeExperiment) {
  const Experiment experiment = large_experiment();
  const std::string too_long =
      "experiments/twice/block_size.json: 10000000000 configurations: to go through all of them would take "
      "too "
      "long (the limit is 1000000)\n"
      "  'tailwave tune' searches them; '--filter NAME=VALUE,...' leaves fewer";
  EXPECT_EQ(refusal(experiment, ""), too_long);
  try {
    (void)enumerate(experiment, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), too_long);
  }
  EXPECT_EQ(
      refusal(experiment, "P0=1,P1=1"),
      "experiments/twice/block_size.json: 100000000 configurations: to go through all of them would take too "
      "long (the limit is 1000000)\n"
      "  'tailwave tune' searches them; '--filter NAME=VALUE,...' leaves fewer");
  EXPECT_EQ(refusal(experiment, "P1:3"),
            "experiments/twice/block_size.json: 10000000000 configurations are too many to match a regular "
            "expression "
            "with their names\n"
            "  name values instead: '--filter NAME=VALUE,...'");
}

TEST(SelectFrom, GoesThroughWhatAFilterLeavesOfALargeExperiment) {
  const Experiment experiment = large_experiment();
  const std::string fixed = "variant=twice,N=64,BLOCK_SIZE=32,P0=1,P1=1,P2=1,P3=1,P4=1,P5=1,P6=1,P7=1";
  const Selection selection = select_from(experiment, false, fixed);
  EXPECT_EQ(selection.selected.size(), 100U);
  EXPECT_TRUE(selection.all.empty());
  EXPECT_EQ(selection.selected.front().parameters.at("P7"), Value{std::int64_t{1}});
  EXPECT_EQ(refusal(experiment, "P0=10"),
            "experiments/twice/block_size.json: no configuration has P0=10\n  P0 is there: 0, 1, 2, 3, 4, 5, "
            "6, 7, 8, 9");
  EXPECT_EQ(
      refusal(experiment, "PO=1"),
      "experiments/twice/block_size.json: no configuration has a value named 'PO'\n  did you mean 'P0'?");
  EXPECT_EQ(refusal(experiment, "N=65"),
            "experiments/twice/block_size.json: no configuration has N=65\n  N is there: 64");
}

TEST(ProblemSpaces, NameTheConstraintThatCannotBeEvaluated) {
  Experiment experiment = two_variants();
  experiment.constraints = {Expression::parse("N // (BLOCK_SIZE - 8) > 0")};
  try {
    problem_spaces(experiment, kCuda, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("experiments/twice/block_size.json: /constraints/0: '//' by zero"));
  }
}

}  // namespace
}  // namespace tailwave
