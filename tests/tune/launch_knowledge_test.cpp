#include "tune/launch_knowledge.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "fakes/sample_experiment.h"
#include "occupancy/launch_speed.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

Experiment blocks_of(std::vector<Value> sizes, std::int64_t n) {
  Experiment experiment = fakes::twice_experiment(std::move(sizes));
  experiment.problem = {{"N", {n}}};
  return experiment;
}

float feature(const LaunchKnowledge& known, Point point, const std::string& name) {
  const std::vector<std::string>& names = known.knowledge.names;
  const auto found = std::find(names.begin(), names.end(), name);
  return known.knowledge.facts(point).features.at(static_cast<std::size_t>(found - names.begin()));
}

TEST(LaunchKnowledge, HasThreadsBlocksAndWavesBeforeAnythingIsCompiled) {
  if (!occupancy_available()) GTEST_SKIP() << "built without the CUDA headers";
  const Experiment experiment = blocks_of({std::int64_t{256}, std::int64_t{1024}}, 1 << 20);
  const ProblemSpaces spaces = problem_spaces(experiment, VariantSpec::Target::cuda, false);
  const LaunchKnowledge known = know_launches(spaces.spaces.at(0), find_device("h100"), true);
  EXPECT_EQ(known.impossible, 0U);
  EXPECT_EQ(feature(known, 0, "threads"), 256);
  EXPECT_EQ(feature(known, 0, "blocks"), 4096);
  EXPECT_EQ(feature(known, 0, "blocks_per_sm"), 8);
  EXPECT_EQ(feature(known, 1, "blocks_per_sm"), 2);
  EXPECT_EQ(feature(known, 0, "occupancy"), 1);
  EXPECT_FLOAT_EQ(feature(known, 1, "waves"), 1024.0F / static_cast<float>(2 * find_device("h100").sms));
  EXPECT_FLOAT_EQ(feature(known, 1, "staircase"), 4 / feature(known, 1, "waves"));
}

TEST(LaunchKnowledge, PredictsACostFromWhatWavesAndIdleLanesWaste) {
  if (!occupancy_available()) GTEST_SKIP() << "built without the CUDA headers";
  const Experiment experiment =
      blocks_of({std::int64_t{48}, std::int64_t{64}, std::int64_t{512}, std::int64_t{2048}}, 1 << 14);
  const ProblemSpaces spaces = problem_spaces(experiment, VariantSpec::Target::cuda, false);
  const DeviceSpec device = find_device("h100");
  const Knowledge knowledge = know_launches(spaces.spaces.at(0), device, true).knowledge;
  std::vector<float> predicted;
  for (Point point = 0; point < 4; ++point) predicted.push_back(knowledge.facts(point).predicted_cost);
  EXPECT_FLOAT_EQ(predicted[1], static_cast<float>(relative_time({256, 64, device.sms, 32})));
  EXPECT_LT(predicted[1], predicted[2]);  // 32 blocks leave most SMs idle
  EXPECT_TRUE(std::isnan(predicted[3]));
  EXPECT_FALSE(know_launches(spaces.spaces.at(0), std::nullopt, true).knowledge.predicts);
}

TEST(LaunchKnowledge, CallsImpossibleWhatExceedsTheDeviceByItsLaunches) {
  const Experiment experiment = blocks_of({std::int64_t{1024}, std::int64_t{2048}}, 4096);
  const ProblemSpaces spaces = problem_spaces(experiment, VariantSpec::Target::cuda, false);
  const LaunchKnowledge known = know_launches(spaces.spaces.at(0), find_device("h100"), true);
  EXPECT_FALSE(known.knowledge.is_impossible(0));
  EXPECT_TRUE(known.knowledge.is_impossible(1));
  EXPECT_EQ(known.why,
            "twice/twice/BLOCK_SIZE:2048/N:4096: twice: 2048 threads a block exceed the 1024 that the device "
            "allows");
  EXPECT_EQ(know_launches(spaces.spaces.at(0), find_device("h100"), false).impossible, 0U);
  EXPECT_THAT(know_launches(spaces.spaces.at(0), std::nullopt, true).knowledge.names,
              testing::ElementsAre("threads", "blocks", "shared_bytes"));
}

TEST(LaunchKnowledge, CallsImpossibleWhatHasNoPlanAnywhere) {
  Experiment experiment = blocks_of({std::int64_t{16}, std::int64_t{32}}, 64);
  experiment.system.variants.front().launches.front().grid[0] = Expression::parse("N // (32 - BLOCK_SIZE)");
  const ProblemSpaces spaces = problem_spaces(experiment, VariantSpec::Target::cuda, false);
  const LaunchKnowledge known = know_launches(spaces.spaces.at(0), std::nullopt, false);
  EXPECT_FALSE(known.knowledge.is_impossible(0));
  EXPECT_TRUE(known.knowledge.is_impossible(1));
}

TEST(LaunchKnowledge, IsEmptyOfHostVariants) {
  Experiment experiment = blocks_of({std::int64_t{16}}, 64);
  experiment.cases = {{"host_twice", {}}};
  const ProblemSpaces spaces = problem_spaces(experiment, VariantSpec::Target::host, false);
  EXPECT_TRUE(know_launches(spaces.spaces.at(0), find_device("h100"), true).knowledge.names.empty());
}

}  // namespace
}  // namespace tailwave
