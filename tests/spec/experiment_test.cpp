#include "spec/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/enumerate.h"
#include "spec/experiment_reader.h"
#include "spec/paths.h"
#include "spec/spec_tree.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(const Enumeration& enumeration) {
  std::vector<std::string> names;
  for (const Configuration& configuration : enumeration.configurations) names.push_back(configuration.name());
  return names;
}

TEST(Experiment, HasWhatTheSpecSays) {
  const SpecTree tree;
  ASSERT_EQ(tree.problems(), "");
  const Experiment experiment = tree.load();
  EXPECT_EQ(experiment.name, "block_size");
  EXPECT_EQ(experiment.question, "Which block size?");
  EXPECT_EQ(experiment.file, tree.root() / kSpec);
  EXPECT_THAT(experiment.text, testing::HasSubstr("\"published\": \"published/study.json\""));
  EXPECT_EQ(experiment.system.name, "stencil");
  EXPECT_THAT(experiment.problem, ElementsAre(Parameter{"N", {std::int64_t{64}, std::int64_t{128}}}));
  ASSERT_EQ(experiment.cases.size(), 2);
  EXPECT_EQ(experiment.cases[0].variant, "tiled");
  EXPECT_THAT(experiment.cases[0].parameters,
              ElementsAre(Parameter{"BLOCK_SIZE", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}}},
                          Parameter{"SCALE", {1.0, 0.25}}));
  ASSERT_EQ(experiment.constraints.size(), 2);
  EXPECT_EQ(experiment.constraints[0].text(), "BLOCK_SIZE < N");
  EXPECT_EQ(experiment.cpu_constraints.size(), 1);
  EXPECT_EQ(experiment.metric.name, "pairs_per_second");
  EXPECT_TRUE(experiment.metric.maximise);
}

TEST(Experiment, HasMeasureSettingsWithDefaults) {
  const MeasureSettings measure = SpecTree().load().measure;
  EXPECT_EQ(measure.mode, TimingMode::batched);
  EXPECT_EQ(measure.samples, 30);
  EXPECT_EQ(measure.warmup, 3);
  EXPECT_EQ(measure.time_cap_s, 1.0);
  EXPECT_EQ(measure.build_deadline_s, 120);
}

TEST(Experiment, HasADeadlineOfBuilds) {
  const SpecTree tree;
  tree.replace(kSpec, R"("samples": 30)", R"("samples": 30, "build_deadline_s": 0.5)");
  EXPECT_EQ(tree.load().measure.build_deadline_s, 0.5);
}

TEST(Experiment, WantsTimeToBeSmallAndOtherMetricsLargeUnlessTold) {
  const SpecTree tree;
  tree.replace(kSpec, R"({"name": "pairs_per_second"})", R"({"name": "time"})");
  EXPECT_FALSE(tree.load().metric.maximise);
  tree.replace(kSpec, R"({"name": "time"})", R"({"name": "time", "goal": "max"})");
  EXPECT_TRUE(tree.load().metric.maximise);
}

TEST(Published, HasTheRowsOfThisExperimentWithTheFilesProblem) {
  const Published published = SpecTree().load().published.value();
  EXPECT_EQ(published.study, "A study");
  EXPECT_EQ(published.device, "a100");
  EXPECT_EQ(published.quantity, "pairs_per_second");
  EXPECT_EQ(published.unit_factor, 1e9);
  ASSERT_EQ(published.rows.size(), 2);
  EXPECT_EQ(published.rows[0].variant, "tiled");
  EXPECT_EQ(published.rows[0].value, 2.5);
  EXPECT_EQ(published.rows[0].note, "best");
  EXPECT_EQ(published.rows[0].parameters,
            (Values{{"BLOCK_SIZE", std::int64_t{16}}, {"N", std::int64_t{64}}, {"SCALE", 1.0}}));
  EXPECT_EQ(published.rows[1].invalid, "never ran");
  EXPECT_EQ(published.rows[1].parameters, (Values{{"N", std::int64_t{128}}}));
}

TEST(Published, ReadsTimesInTheirUnit) {
  const SpecTree tree;
  tree.replace(kPublished, R"("quantity": "pairs_per_second")", R"("quantity": "step_time")");
  tree.replace(kPublished, "\"1e9/s\"", "\"ms\"");
  const Published published = tree.load().published.value();
  EXPECT_EQ(published.quantity, "time");
  EXPECT_EQ(published.unit_factor, 1e-3);
}

TEST(Published, TakesTheOnlyVariantWhereARowNamesNone) {
  const SpecTree tree;
  tree.replace(kSpec, ",\n    {\"variant\": \"cpu\"}", "");
  tree.replace(kPublished, R"("block_size", "variant": "tiled", )", R"("block_size", )");
  EXPECT_EQ(tree.load().published.value().rows[0].variant, "tiled");
}

TEST(Enumerate, VariesProblemsSlowestThenCasesThenParametersInTheirOrder) {
  EXPECT_THAT(names_of(enumerate(SpecTree().load(), false)),
              ElementsAre("stencil/tiled/BLOCK_SIZE:16/FAST:true/MODE:plain/SCALE:1/DT:1/N:64",
                          "stencil/tiled/BLOCK_SIZE:16/FAST:true/MODE:plain/SCALE:0.25/DT:1/N:64",
                          "stencil/tiled/BLOCK_SIZE:32/FAST:true/MODE:plain/SCALE:1/DT:1/N:64",
                          "stencil/cpu/DT:1/N:64",
                          "stencil/tiled/BLOCK_SIZE:16/FAST:true/MODE:plain/SCALE:1/DT:1/N:128",
                          "stencil/tiled/BLOCK_SIZE:16/FAST:true/MODE:plain/SCALE:0.25/DT:1/N:128",
                          "stencil/tiled/BLOCK_SIZE:32/FAST:true/MODE:plain/SCALE:1/DT:1/N:128",
                          "stencil/tiled/BLOCK_SIZE:64/FAST:true/MODE:plain/SCALE:1/DT:1/N:128",
                          "stencil/cpu/DT:1/N:128"));
}

TEST(Enumerate, LeavesOutOnTheCpuWhatItsConstraintsRuleOut) {
  const Enumeration enumeration = enumerate(SpecTree().load(), true);
  EXPECT_EQ(enumeration.configurations.size(), 4);
  EXPECT_EQ(enumeration.left_out_on_cpu, 5);
  EXPECT_EQ(enumerate(SpecTree().load(), false).left_out_on_cpu, 0);
}

TEST(Enumerate, GivesEachConfigurationOnceAndKeepsTheFirst) {
  const SpecTree tree;
  tree.replace(kSpec, R"([64, 128])", "[64]");
  tree.replace(kSpec, R"({"variant": "cpu"})",
               R"({"variant": "tiled", "parameters": {"SCALE": [0.5, 1]}}, {"variant": "tiled"})");
  tree.replace(kSpec, "\"SCALE == 1 or BLOCK_SIZE == 16\"", "\"BLOCK_SIZE == 32\"");
  EXPECT_THAT(names_of(enumerate(tree.load(), false)),
              ElementsAre("stencil/tiled/BLOCK_SIZE:32/FAST:true/MODE:plain/SCALE:1/DT:1/N:64",
                          "stencil/tiled/BLOCK_SIZE:32/FAST:true/MODE:plain/SCALE:0.25/DT:1/N:64",
                          "stencil/tiled/BLOCK_SIZE:32/FAST:true/MODE:plain/SCALE:0.5/DT:1/N:64"));
}

TEST(Enumerate, NamesTheConstraintThatFailsBeyondWhatTheLoaderTried) {
  const SpecTree tree;
  Experiment experiment = tree.load();
  experiment.constraints.push_back(Expression::parse("N // (N - 128) < 0"));
  try {
    (void)enumerate(experiment, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(tree.without_root(error.what()),
              "experiments/stencil/block_size.json: /constraints/2: '//' by zero (N = 128)\n"
              "  N // (N - 128) < 0\n"
              "    ^");
    EXPECT_EQ(error.exit_status(), Error::kBadUsage);
  }
}

TEST(Experiment, OfThisRepositoryIsGood) {
  Diagnostics diagnostics;
  const std::vector<std::filesystem::path> specs =
      expand_specs({TAILWAVE_SOURCE_DIR "/experiments", TAILWAVE_SOURCE_DIR "/tests/bench/systems"});
  for (const std::filesystem::path& spec : specs) (void)load_experiment(spec, diagnostics);
  EXPECT_EQ(std::string(Error(diagnostics).what()), "");
}

TEST(Experiment, WarnsOfCasesThatConstraintsLeaveNothingOf) {
  const auto warning_with = [](const std::string& constraint) {
    const SpecTree tree;
    tree.replace(kSpec, "\"BLOCK_SIZE < N\"", constraint);
    const Diagnostics warnings = tree.load().warnings;
    EXPECT_EQ(warnings.size(), 1U);
    return warnings.empty() ? "" : tree.without_root(to_string(warnings.front()));
  };
  const std::string empty =
      "experiments/stencil/block_size.json: /cases/0: the case of the variant 'tiled' has no configuration\n  ";
  EXPECT_EQ(warning_with("\"BLOCK_SIZE > N\""), empty + "'BLOCK_SIZE > N' is false for all of it");
  EXPECT_EQ(warning_with("\"BLOCK_SIZE == 64\", \"SCALE < 1\""),
            empty + "each constraint leaves some of it, all together leave none");
  EXPECT_EQ(SpecTree().load().warnings, Diagnostics());
}

TEST(Experiment, BlamesTheManifestWhereWhatVariantsRequireLeavesNothing) {
  const SpecTree tree;
  tree.replace(kManifest, R"("target": "host",)", R"("target": "host", "requires": "N < 0",)");
  tree.replace(kManifest, R"("target": "cuda",)", R"("target": "cuda", "requires": "N < 0",)");
  EXPECT_EQ(tree.problems(),
            "experiments/stencil/block_size.json: /system: no configuration satisfies all constraints\n"
            "  'N < 0' is false for all of it (the manifest's 'requires' of a variant)");
}

TEST(ProjectRoot, IsTheNearestFolderAboveWithKernelTemplates) {
  const SpecTree tree;
  EXPECT_EQ(find_project_root(tree.root() / "experiments" / "stencil"), tree.root());
  EXPECT_EQ(find_project_root(tree.root()), tree.root());
  EXPECT_THROW((void)find_project_root("/proc"), Error);
}

TEST(ExpandSpecs, TakesFilesAsTheyAreAndSpecsBelowFoldersSorted) {
  const SpecTree tree;
  tree.write("experiments/stencil/a.json", "{}");
  tree.write("experiments/notes.txt", "");
  const std::filesystem::path folder = tree.root() / "experiments";
  const std::filesystem::path stencil = folder / "stencil";
  EXPECT_THAT(expand_specs({stencil / "block_size.json", folder}),
              ElementsAre(stencil / "block_size.json", stencil / "a.json"));
}

TEST(ExpandSpecs, LeavesManifestsOutAndTakesAProjectsExperiments) {
  const SpecTree tree;
  tree.write("results/recorded.json", "{}");
  tree.write("experiments/stencil/system.json", "{}");
  EXPECT_THAT(expand_specs({tree.root()}), ElementsAre(tree.root() / kSpec));
  EXPECT_THAT(find_manifests(tree.root()), ElementsAre(tree.root() / kManifest));
}

TEST(Experiment, MayBeAManifest) {
  const SpecTree tree;
  const Experiment experiment = load_experiment(tree.root() / kManifest);
  EXPECT_EQ(experiment.name, "stencil");
  ASSERT_EQ(experiment.cases.size(), 1U);
  EXPECT_EQ(experiment.cases[0].variant, "tiled");
  EXPECT_THAT(experiment.cases[0].parameters, testing::IsEmpty()) << "no parameter is a list";
}

TEST(Experiment, MissesTheManifestOfAFolder) {
  const SpecTree tree;
  std::filesystem::remove(tree.root() / kManifest);
  EXPECT_EQ(tree.problems(),
            "experiments/stencil/block_size.json: /system: no system.json in kernel_templates/stencil");
}

TEST(Experiment, MayNameASystemThatNoFolderCanHave) {
  SpecTree tree;
  const std::string name(300, 's');
  tree.replace(kSpec, "\"system\": \"stencil\"", "\"system\": \"" + name + "\"");
  EXPECT_THAT(tree.problems(), testing::HasSubstr("/system: unknown system '" + name));
}

TEST(ExpandSpecs, RefusesWhatIsNotThereAndFoldersWithoutSpecs) {
  const SpecTree tree;
  const auto message = [&](const std::filesystem::path& path) {
    try {
      (void)expand_specs({path});
      return std::string("no error");
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), Error::kBadUsage);
      return tree.without_root(error.what());
    }
  };
  EXPECT_EQ(
      message(tree.root() / "experiments/x.json"),
      "experiments/x.json: no such file or folder\n  'tailwave list experiments' names those that there are");
  EXPECT_EQ(message(tree.root() / "experiment/stencil/blok_size.json"),
            "experiment/stencil/blok_size.json: no such file or folder\n  did you mean "
            "'experiments/stencil/block_size.json'?");
  EXPECT_EQ(message(tree.root() / "kernel_templates/stencil/cpu.cpp"), "no error");
  std::filesystem::create_directories(tree.root() / "empty");
  EXPECT_EQ(message(tree.root() / "empty"),
            "empty: no experiment (*.json) in this folder\n  'tailwave new NAME' writes one to start from");
}

}  // namespace
}  // namespace tailwave
