#include "races/race_shape.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "fakes/scratch_folder.h"
#include "races/race_plan.h"
#include "spec/experiment_reader.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

// The names of the candidates of an experiment of variant "step", which has parameters BLOCK, FAST and MODE.
std::vector<std::string> candidates(const std::string& experiment_fields) {
  const ScratchFolder folder;
  folder.write("kernel_templates/one/one.cu", "");
  folder.write("kernel_templates/one/system.json", R"json({
    "schema_version": 1, "name": "one", "title": "One",
    "problem": {"N": {"type": "int", "default": 65536}, "STEPS": {"type": "int", "default": 1000}},
    "buffers": {"out": {"type": "float32", "count": "N", "output_only": true}},
    "reference": {"variant": "step", "compare": {"out": {"norm": "exact"}}}, "work": {"elements": "N"},
    "variants": {"step": {"target": "cuda", "source": "one.cu",
      "parameters": {"BLOCK": 256, "FAST": false, "MODE": "row"}, "launches": [{"repeat": "STEPS", "launches": [
        {"kernel": "one", "grid": "ceil_div(N, BLOCK)", "block": "BLOCK", "args": ["out", "N"]}]}]}}})json");
  const auto file = folder.write(
      "experiments/one/one.json",
      R"({"schema_version": 1, "name": "one", "system": "one", "question": "?", "metric": {"name": "time"}, )" +
          experiment_fields + "}");
  const std::vector<Experiment> experiments{load_experiment(file)};
  std::vector<std::string> names;
  for (const RaceCandidate& candidate : race_candidates(experiments))
    names.push_back(candidate.configuration.name());
  return names;
}

TEST(RaceCandidates, HaveThreeBlocksAndLoopsOfTwoTurns) {
  EXPECT_THAT(candidates(R"("cases": [{"variant": "step", "parameters": {"BLOCK": [64]}}])"),
              ElementsAre("one/step/BLOCK:64/FAST:false/MODE:row/N:256/STEPS:3"));
}

TEST(RaceCandidates, HaveTheSmallestBlockThatIsLargeEnough) {
  EXPECT_THAT(
      candidates(R"("cases": [{"variant": "step", "parameters": {"BLOCK": [1024, 32, 512, 16, 128, 256]}}])"),
      ElementsAre("one/step/BLOCK:128/FAST:false/MODE:row/N:512/STEPS:3"));
  EXPECT_THAT(candidates(R"("cases": [{"variant": "step", "parameters": {"BLOCK": [8, 32, 16, 4, 2]}}])"),
              ElementsAre("one/step/BLOCK:32/FAST:false/MODE:row/N:128/STEPS:3"));
}

TEST(RaceCandidates, HaveEachValueOfParametersWithFew) {
  EXPECT_THAT(candidates(R"("cases": [{"variant": "step",
                            "parameters": {"BLOCK": [64], "FAST": [false, true], "MODE": ["row", "column"]}}])"),
              ElementsAre("one/step/BLOCK:64/FAST:false/MODE:row/N:256/STEPS:3",
                          "one/step/BLOCK:64/FAST:true/MODE:column/N:256/STEPS:3"));
}

TEST(RaceCandidates, KeepToConstraints) {
  EXPECT_THAT(candidates(R"("cases": [{"variant": "step", "parameters": {"BLOCK": [64]}}],
                            "constraints": ["N >= 1024", "STEPS % 8 == 0"])"),
              ElementsAre("one/step/BLOCK:64/FAST:false/MODE:row/N:1024/STEPS:1000"));
}

TEST(RacePlan, HasNoMoreThreadsAtOnceThanThreadSanitizerTakes) {
  const ScratchFolder folder;
  const Experiment experiment = load_experiment(TAILWAVE_TEST_DATA "/races/experiments/races/all.json");
  Configuration configuration{"races", "tiles", {{"SAFE", true}}, {{"N", std::int64_t{kMostRaceThreads}}}};
  const VariantSpec& variant = *experiment.system.find_variant("tiles");
  EXPECT_EQ(write_plan(folder.path(), experiment.system, variant, configuration, {}).launches, 1U);
  configuration.problem["N"] = std::int64_t{kMostRaceThreads + 64};
  try {
    static_cast<void>(write_plan(folder.path(), experiment.system, variant, configuration, {}));
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_STREQ(
        failure.what(),
        "4160 CUDA threads in 65 blocks live at once; races are looked for among 4096 in 2048 at most");
  }
}

TEST(RacePlan, RefusesWhatRacesAreNotLookedForIn) {
  const ScratchFolder folder;
  const Experiment experiment = load_experiment(TAILWAVE_TEST_DATA "/races/experiments/races/all.json");
  const Configuration configuration{"races", "tiles", {{"SAFE", true}}, {{"N", std::int64_t{128}}}};
  const auto refusal_of = [&](const VariantSpec& variant) -> std::string {
    try {
      static_cast<void>(write_plan(folder.path(), experiment.system, variant, configuration, {}));
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.outcome(), Outcome::unavailable);
      return failure.what();
    }
    return "";
  };
  const VariantSpec& plain = *experiment.system.find_variant("tiles");
  EXPECT_EQ(refusal_of(plain), "");
  const Expression one = Expression::parse("1");
  VariantSpec clusters = plain;
  clusters.launches[0].cluster = {Expression::parse("2"), one, one};
  EXPECT_EQ(refusal_of(clusters), "'tiles' is launched in clusters, in which races are not looked for");
  VariantSpec views = plain;
  views.launches[0].arguments[0] =
      TextureArgument{experiment.system.buffers.begin()->first, {one}, {.layout = TextureLayout::linear}};
  EXPECT_EQ(refusal_of(views), "races are not looked for in what only GPUs have");
}

}  // namespace
}  // namespace tailwave
