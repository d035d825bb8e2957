// What a database knows for choose(): as load_wisdom() finds it.
#include "interchange/safe_choice_query.h"

#include <gtest/gtest.h>

#include "interchange/wisdom.h"
#include "interchange/wisdom_header.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::TemporaryFolder;

class SafeChoiceQuery : public ::testing::Test {
 protected:
  SafeChoiceQuery() {
    run_.defaults = R"({"basic": {}, "shared": {"BLOCK_SIZE": 128}, "tuned": {"BLOCK_SIZE": 256}})";
    run_.spec_text = R"({"cases": [{"variant": "cpu"}, {"variant": "shared"}, {"variant": "tuned"}],
      "constraints": ["N >= 1024", "BLOCK_SIZE <= N", true, "BLOCK_SIZE <", "BLOCK_SIZE * TILE <= N"]})";
  }

  // A run on the GPU of this UUID.
  void add(const std::string& uuid, const std::vector<Trial>& trials) {
    ResultStore store(database_);
    DeviceDescription device = samples::gpu();
    device.uuid = uuid;
    const std::int64_t run = store.begin_run(run_, device);
    for (const Trial& trial : trials) store.add_trial(run, device, trial);
    store.finish_run(run, RunStatus::done, "2025-01-01T10:01:00Z");
  }
  static Trial trial(const std::string& variant, int block_size, double time_ns) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(time_ns * (1 + 0.001 * (i % 7)));
    return samples::trial(variant, {{"BLOCK_SIZE", block_size}}, times);
  }
  Wisdom load() { return load_wisdom(database_, {"tuning", "", ""}); }
  // Beside the default, of the one device.
  std::size_t better() { return load().choices.at(0).choice.candidates.size() - 1; }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  RunRecord run_ = samples::run("tuning", "2025-01-01T10:00:00Z");
};

TEST_F(SafeChoiceQuery, FindsTheManifestsValuesOfTheFirstVariantThatRan) {
  add("GPU-1", {trial("tuned", 64, 100), trial("shared", 64, 100)});
  const auto standard = standard_configuration(database_, {"tuning", "", ""}, {"tuned", "shared"});
  ASSERT_TRUE(standard);
  EXPECT_EQ(standard->name(), "nbody/shared/BLOCK_SIZE:128");
  EXPECT_EQ(standard_configuration(database_, {"tuning", "", ""}, {"tuned"})->variant, "tuned");
  EXPECT_FALSE(standard_configuration(database_, {"tuning", "", ""}, {"cpu"}));
  EXPECT_FALSE(standard_configuration(database_, {"other", "", ""}, {"tuned"}));
}

TEST_F(SafeChoiceQuery, HasNoDefaultWhereTheRunDidNotNoteTheManifests) {
  run_.defaults.clear();
  add("GPU-1", {trial("shared", 128, 100), trial("shared", 64, 80)});
  EXPECT_FALSE(load().standard);
  EXPECT_TRUE(load().choices.empty());
  System manifest;
  manifest.name = "nbody";
  manifest.variants.resize(1);
  manifest.variants[0].name = "shared";
  manifest.variants[0].parameters = {{"BLOCK_SIZE", 128}};
  const Wisdom wisdom =
      load_wisdom(database_, {"tuning", "", ""}, [&](const std::string&) { return manifest; });
  ASSERT_TRUE(wisdom.standard);
  EXPECT_EQ(wisdom.standard->name(), "nbody/shared/BLOCK_SIZE:128");
  EXPECT_EQ(wisdom.choices.size(), 1U);
}

TEST_F(SafeChoiceQuery, ComparesWithTheDefaultByAllSamples) {
  add("GPU-1", {trial("shared", 128, 100), trial("shared", 64, 80), trial("tuned", 256, 120)});
  const Wisdom wisdom = load();
  ASSERT_EQ(wisdom.choices.size(), 1U);
  EXPECT_EQ(wisdom.choices[0].device, "NVIDIA H200");
  EXPECT_EQ(wisdom.choices[0].sms, 132);
  ASSERT_EQ(wisdom.choices[0].choice.candidates.size(), 2U);
  EXPECT_EQ(wisdom.choices[0].choice.candidates[1].configuration.name(), "nbody/shared/BLOCK_SIZE:64");
}

TEST_F(SafeChoiceQuery, PoolsTheLatestTrialsOfAllGpusOfAModel) {
  add("GPU-1", {trial("shared", 128, 500), trial("shared", 64, 100)});
  run_.started_at = "2025-01-02T10:00:00Z";
  add("GPU-1", {trial("shared", 128, 100), trial("shared", 64, 90)});
  run_.started_at = "2025-01-03T10:00:00Z";
  add("GPU-2", {trial("shared", 128, 100), trial("shared", 64, 80)});
  const std::vector<ChoiceTrial> trials = load_choice_trials(database_, {"tuning", "NVIDIA H200", ""}, 0);
  ASSERT_EQ(trials.size(), 2U);
  ASSERT_EQ(trials[0].gpus.size(), 2U);
  EXPECT_EQ(trials[0].gpus[0].gpu, "GPU-1");
  EXPECT_EQ(samples_of(trials[0].gpus[0].costs).size(), 20U);
  EXPECT_LT(samples_of(trials[0].gpus[0].costs)[0] * 16'777'216, 101);
  EXPECT_EQ(better(), 1U);
  run_.started_at = "2025-01-04T10:00:00Z";
  add("GPU-2", {trial("shared", 64, 103)});
  EXPECT_EQ(better(), 0U);
}

TEST_F(SafeChoiceQuery, TakesNothingThatFailsOnAGpuOfTheModel) {
  add("GPU-1", {trial("shared", 128, 100), trial("shared", 64, 80)});
  run_.started_at = "2025-01-02T10:00:00Z";
  add("GPU-2", {trial("shared", 128, 100),
                samples::failed("shared", {{"BLOCK_SIZE", 64}}, Outcome::wrong_result, "off")});
  EXPECT_EQ(better(), 0U);
}

TEST_F(SafeChoiceQuery, TakesNothingThatCouldNotBeBuiltForAGpuOfTheModel) {
  add("GPU-2", {trial("shared", 128, 100),
                samples::failed("shared", {{"BLOCK_SIZE", 64}}, Outcome::compile_error, "no")});
  run_.started_at = "2025-01-02T10:00:00Z";
  Trial built = trial("shared", 64, 80);
  built.build = BuildRecord{
      .key = "64", .compiler = "nvcc", .target = "sm_90", .options = "", .code_hash = "abc", .log = ""};
  add("GPU-1", {trial("shared", 128, 100), built});
  EXPECT_EQ(better(), 0U);
  run_.started_at = "2025-01-03T10:00:00Z";
  add("GPU-2", {trial("shared", 128, 100), built});  // it could, later
  EXPECT_EQ(better(), 1U);
}

TEST_F(SafeChoiceQuery, KnowsNothingOfProblemsThatLackAQuantity) {
  const auto of = [](int block_size, double time_ns, bool has_m) {
    Trial one = trial("shared", block_size, time_ns);
    if (has_m) one.configuration.problem["M"] = std::int64_t{2};
    return one;
  };
  add("GPU-1", {of(128, 100, false), of(64, 80, false)});
  EXPECT_EQ(better(), 1U);
  run_.started_at = "2025-01-02T10:00:00Z";
  add("GPU-1", {of(128, 100, true), of(64, 80, true)});
  EXPECT_EQ(better(), 0U);
  EXPECT_NE(wisdom_header(load()).find("choose("), std::string::npos);
}

TEST_F(SafeChoiceQuery, GivesTheResultsOfTheSameMachineCodeToWhatWasSkippedForIt) {
  Trial skipped = samples::failed("shared", {{"BLOCK_SIZE", 32}}, Outcome::skipped_identical, "");
  skipped.same_as = trial("shared", 64, 80).configuration.name();
  add("GPU-1", {trial("shared", 128, 100), trial("shared", 64, 80), skipped});
  const std::vector<ChoiceTrial> trials = load_choice_trials(database_, {"tuning", "NVIDIA H200", ""}, 0);
  ASSERT_EQ(trials.size(), 3U);
  EXPECT_EQ(samples_of(trials[1].gpus.at(0).costs), samples_of(trials[2].gpus.at(0).costs));
}

TEST_F(SafeChoiceQuery, GoesByTheMetricOfEachSampleWhereThatIsAnExpression) {
  run_.metric = "cost";
  run_.metric_expression = "time * BLOCK_SIZE";
  run_.maximise = false;
  // 32 would be the best, but its samples have no value.
  add("GPU-1", {trial("shared", 128, 100), trial("shared", 64, 120), trial("shared", 32, 10)});
  database_.execute(
      "UPDATE sample SET metric_value = time_ns * (SELECT parameters ->> '$.BLOCK_SIZE' FROM configuration "
      "JOIN trial ON configuration_id = configuration.id WHERE trial.id = trial_id);"
      "UPDATE sample SET metric_value = NULL WHERE time_ns < 20;"
      "INSERT INTO trial_metric (trial_id, position, name, unit, maximise, objective, value, low, high) "
      "SELECT id, 0, 'cost', '', 0, 1, 1, 1, 1 FROM trial");
  const Wisdom wisdom = load();
  ASSERT_EQ(wisdom.choices.size(), 1U);
  ASSERT_EQ(wisdom.choices[0].choice.candidates.size(), 2U);
  EXPECT_EQ(wisdom.choices[0].choice.candidates[1].configuration.name(), "nbody/shared/BLOCK_SIZE:64");
}

TEST_F(SafeChoiceQuery, KnowsSlotsAndBlocksOfTheMainLaunch) {
  Trial standard = trial("shared", 128, 100);
  standard.launches.push_back(samples::launch("body_force", 1024, 128, 8, "registers", 0.5, {}));
  add("GPU-1", {standard});
  const std::vector<ChoiceTrial> trials = load_choice_trials(database_, {"tuning", "NVIDIA H200", ""}, 0);
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].blocks, 1024);
  ASSERT_TRUE(trials[0].slots);
  EXPECT_EQ(trials[0].slots->slots, 8 * 132);
  EXPECT_EQ(trials[0].slots->sms, 132);
}

TEST_F(SafeChoiceQuery, HasConditionsThatNameAParameterAndTheManifestsOwn) {
  add("GPU-1", {trial("shared", 128, 100)});
  database_.execute("INSERT INTO variant_domain VALUES ('nbody', 'shared', 'N % BLOCK_SIZE == 0')");
  const auto conditions =
      conditions_of(database_, {"tuning", "", ""},
                    {{"nbody", "shared", {{"BLOCK_SIZE", 64}}, {}}, {"nbody", "basic", {}, {}}});
  ASSERT_EQ(conditions.at("shared").size(), 2U);
  EXPECT_EQ(conditions.at("shared")[0].text(), "BLOCK_SIZE <= N");
  EXPECT_EQ(conditions.at("shared")[1].text(), "N % BLOCK_SIZE == 0");
  EXPECT_TRUE(conditions.at("basic").empty());
}

}  // namespace
}  // namespace tailwave
