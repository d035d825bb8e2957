#include "spec/configuration_space.h"

#include <gmock/gmock.h>

#include "fakes/sample_experiment.h"

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

std::vector<Configuration> all_of(const ConfigurationSpaces& spaces) {
  std::vector<Configuration> all;
  for (const ConfigurationSpace& space : spaces.spaces)
    for (Point point = 0; point < space.points().size(); ++point) all.push_back(space.configuration(point));
  return all;
}

TEST(ConfigurationSpaces, HaveTheConfigurationsOfTheExperimentInItsOrder) {
  Experiment experiment = two_variants();
  experiment.problem = {{"N", {std::int64_t{64}, std::int64_t{128}}}};
  experiment.constraints = {Expression::parse("BLOCK_SIZE * UNROLL < 128")};
  const ConfigurationSpaces spaces = configuration_spaces(experiment, kCuda, false);
  ASSERT_EQ(spaces.spaces.size(), 2U);
  EXPECT_EQ(spaces.spaces[1].problem().at("N"), Value{std::int64_t{128}});
  EXPECT_EQ(all_of(spaces), enumerate(experiment, false).configurations);
}

TEST(ConfigurationSpaces, HaveAColumnForVariantsAndEachParameterOfACase) {
  const ConfigurationSpaces spaces = configuration_spaces(two_variants(), kCuda, false);
  const std::vector<Parameter>& columns = spaces.spaces.at(0).points().parameters();
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0], (Parameter{"variant", {std::string("twice"), std::string("wide")}}));
  EXPECT_EQ(columns[1], (Parameter{"BLOCK_SIZE", {std::int64_t{8}, std::int64_t{16}, std::int64_t{64}}}));
  EXPECT_EQ(columns[2], (Parameter{"UNROLL", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}}));
  EXPECT_EQ(configuration_spaces(fakes::twice_experiment({std::int64_t{8}}), kCuda, false)
                .spaces.at(0)
                .points()
                .parameters()
                .size(),
            1U);
}

TEST(ConfigurationSpaces, FindWhatTheyHaveAndNothingElse) {
  const Experiment experiment = two_variants();
  const ConfigurationSpaces spaces = configuration_spaces(experiment, kCuda, false);
  const ConfigurationSpace& space = spaces.spaces.at(0);
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

TEST(ConfigurationSpaces, HaveOneTargetOnly) {
  Experiment experiment = two_variants();
  experiment.cases.push_back({"host_twice", {}});
  EXPECT_EQ(all_of(configuration_spaces(experiment, kCuda, false)).size() + 1,
            enumerate(experiment, false).configurations.size());
  const ConfigurationSpaces host = configuration_spaces(experiment, VariantSpec::Target::host, false);
  EXPECT_EQ(all_of(host).at(0).variant, "host_twice");
}

TEST(ConfigurationSpaces, LeaveOutWhatTheCpuDeviceDoesNotTake) {
  Experiment experiment = two_variants();
  experiment.cpu_constraints = {Expression::parse("BLOCK_SIZE < 64")};
  experiment.cpu_problem = {{"N", {std::int64_t{16}}}};
  const ConfigurationSpaces spaces = configuration_spaces(experiment, kCuda, true);
  const Enumeration all = enumerate(experiment, true);
  EXPECT_EQ(all_of(spaces), all.configurations);
  EXPECT_EQ(spaces.left_out_on_cpu, all.left_out_on_cpu);
}

TEST(ConfigurationSpaces, NameTheConstraintThatCannotBeEvaluated) {
  Experiment experiment = two_variants();
  experiment.constraints = {Expression::parse("N // (BLOCK_SIZE - 8) > 0")};
  try {
    configuration_spaces(experiment, kCuda, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::StartsWith("experiments/twice/block_size.json: /constraints/0: '//' by zero"));
  }
}

}  // namespace
}  // namespace tailwave
