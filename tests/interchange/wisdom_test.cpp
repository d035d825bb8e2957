#include "interchange/wisdom.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "interchange/import.h"
#include "interchange/tuner_files.h"
#include "interchange/wisdom_header.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using nlohmann::json;
using samples::error_of;
using samples::TemporaryFolder;

class WisdomTest : public ::testing::Test {
 protected:
  // A trial of "tuning" for a problem size with a median of `time_ns`.
  void add(const DeviceDescription& device, int n, int block_size, double time_ns) {
    ResultStore store(database_);
    const std::int64_t run = store.begin_run(samples::run("tuning", "2025-01-01T10:00:00Z"), device);
    Trial trial = samples::trial("shared", {{"BLOCK_SIZE", block_size}}, {time_ns});
    trial.configuration.problem["N"] = n;
    store.add_trial(run, device, trial);
    store.finish_run(run, RunStatus::done, "2025-01-01T10:01:00Z");
  }
  Wisdom load(const std::string& device = "") { return load_wisdom(database_, {"tuning", device, ""}); }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

DeviceDescription other_gpu() {
  DeviceDescription device = samples::gpu();
  device.name = "NVIDIA A100";
  device.compute_capability = 80;
  device.sms = 108;
  return device;
}

TEST_F(WisdomTest, IsTheBestOfEachDeviceAndProblem) {
  add(samples::gpu(), 1024, 32, 100);
  add(samples::gpu(), 1024, 64, 90);
  add(samples::gpu(), 1024, 128, 95);
  add(samples::gpu(), 4096, 128, 700);
  add(other_gpu(), 1024, 256, 200);
  add(samples::cpu(), 1024, 512, 1);
  const Wisdom wisdom = load();
  EXPECT_EQ(wisdom.system, "nbody");
  EXPECT_EQ(wisdom.metric, "interactions_per_second");
  EXPECT_TRUE(wisdom.maximise);
  ASSERT_EQ(wisdom.entries.size(), 3U);
  EXPECT_EQ(wisdom.entries[0].device, "NVIDIA A100");
  EXPECT_EQ(wisdom.entries[0].compute_capability, 80);
  EXPECT_EQ(wisdom.entries[0].sms, 108);
  EXPECT_EQ(wisdom.entries[1].configuration.name(), "nbody/shared/BLOCK_SIZE:64/DT:0.01/N:1024");
  EXPECT_DOUBLE_EQ(wisdom.entries[1].value, 16'777'216 / 90e-9);
  EXPECT_EQ(wisdom.entries[2].configuration.name(), "nbody/shared/BLOCK_SIZE:128/DT:0.01/N:4096");
}

TEST_F(WisdomTest, IsThatOfOneDeviceOrACpuWhereItIsNamed) {
  add(samples::gpu(), 1024, 32, 100);
  add(other_gpu(), 1024, 256, 200);
  add(samples::cpu(), 1024, 512, 1);
  EXPECT_EQ(load("NVIDIA A100").entries.size(), 1U);
  ASSERT_EQ(load("Test CPU (2 cores)").entries.size(), 1U);
  EXPECT_EQ(load("cpu").entries.size(), 1U);
  EXPECT_EQ(load("cuda").entries.size(), 2U);
  EXPECT_EQ(load("Test CPU (2 cores)").entries[0].configuration.parameters.at("BLOCK_SIZE"), Value(512));
}

TEST_F(WisdomTest, GoesByTheObjectiveThatAnotherTunerRecorded) {
  // The samples would have it the other way round.
  const std::string text = samples::replaced(samples::kCachefile, R"("time": "RuntimeFailedConfig")",
                                             R"("time": 2.25, "times": [9.0, 9.0])");
  import_recorded(database_, samples::write_file(folder_ / "tuning.json", text));
  const Wisdom wisdom = load();
  ASSERT_EQ(wisdom.entries.size(), 1U);
  EXPECT_EQ(wisdom.entries[0].configuration.parameters.at("block_size_x"), Value(32));
  EXPECT_DOUBLE_EQ(wisdom.entries[0].value, 2.25e-3);
  EXPECT_EQ(wisdom.entries[0].sms, 0);
}

TEST_F(WisdomTest, NeedsAGpuWithACorrectResult) {
  const std::string file = (folder_ / "results.db").string();
  EXPECT_EQ(error_of([&] { load(); }), file +
                                           ": no trials of experiment 'tuning'\n"
                                           "  'tailwave query runs' shows what the database has");
  const std::string expected = file +
                               ": no GPU has run experiment 'tuning' with a correct result\n"
                               "  run it on one, import results, or take what a CPU measured: --device cpu";
  add(samples::cpu(), 1024, 512, 1);
  EXPECT_EQ(error_of([&] { load(); }), expected);
}

TEST_F(WisdomTest, IsJson) {
  add(samples::gpu(), 1024, 64, 1000);
  EXPECT_EQ(json::parse(wisdom_json(load())), json::parse(R"({
    "schema_version": 1, "system": "nbody", "experiment": "tuning", "metric": "interactions_per_second", "goal": "max",
    "entries": [{"device": "NVIDIA H200", "compute_capability": 90, "sms": 132, "problem": {"DT": 0.01, "N": 1024},
      "variant": "shared", "parameters": {"BLOCK_SIZE": 64}, "value": 16777216000000.0, "unverified": null}]})"));
}

TEST_F(WisdomTest, SaysWhatNothingHasVerified) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("tuning", "2025-01-01T10:00:00Z"), samples::gpu());
  Trial trial = samples::trial("shared", {}, {100});
  trial.unverified = "it draws \"numbers\"";
  store.add_trial(run, samples::gpu(), trial);
  store.finish_run(run, RunStatus::done, "2025-01-01T10:01:00Z");
  EXPECT_EQ(json::parse(wisdom_json(load())).at("entries").at(0).at("unverified"), trial.unverified);
  const std::string text = wisdom_header(load());
  EXPECT_NE(text.find("// UNVERIFIED: nothing says whether"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(, "it draws \"numbers\""},)"), std::string::npos) << text;
}

TEST_F(WisdomTest, HasAFewConfigurationsForAllProblemsWhereThatIsAskedFor) {
  add(samples::gpu(), 1024, 32, 100);
  add(samples::gpu(), 1024, 64, 110);
  add(samples::gpu(), 1024, 128, 300);
  add(samples::gpu(), 4096, 32, 900);
  add(samples::gpu(), 4096, 64, 660);
  add(samples::gpu(), 4096, 128, 600);
  ExportScope scope{"tuning", "", "", OverSizesOptions{}};
  const Wisdom one = load_wisdom(database_, scope);
  ASSERT_EQ(one.entries.size(), 2U);
  EXPECT_EQ(one.entries[0].configuration.name(), "nbody/shared/BLOCK_SIZE:64/DT:0.01/N:1024");
  EXPECT_DOUBLE_EQ(one.entries[0].value, 16'777'216 / 110e-9);
  EXPECT_EQ(one.entries[1].configuration.name(), "nbody/shared/BLOCK_SIZE:64/DT:0.01/N:4096");
  EXPECT_NE(
      wisdom_header(one).find(
          "// NVIDIA H200: 1 configuration for all problems, each with the best of them: geometric mean 1.1 of "
          "each problem's best, worst case 1.1.\n//   nbody/shared/BLOCK_SIZE:64\n"),
      std::string::npos)
      << wisdom_header(one);
  const json document = json::parse(wisdom_json(one));
  EXPECT_EQ(document.at("over_sizes").at(0).at("kept"),
            json::parse(R"([{"variant": "shared", "parameters": {"BLOCK_SIZE": 64}}])"));
  scope.over_sizes->keep = 2;
  const Wisdom two = load_wisdom(database_, scope);
  EXPECT_EQ(two.over_sizes.at(0).kept.size(), 2U);
  EXPECT_EQ(two.entries[0].configuration.parameters.at("BLOCK_SIZE"), Value(32));
  EXPECT_EQ(two.entries[1].configuration.parameters.at("BLOCK_SIZE"), Value(128));
}

TEST_F(WisdomTest, SaysWhatNoSoManyConfigurationsServe) {
  add(samples::gpu(), 1024, 32, 100);
  add(samples::gpu(), 4096, 64, 100);
  EXPECT_EQ(error_of([&] {
              load_wisdom(database_, {"tuning", "", "", OverSizesOptions{}});
            }),
            (folder_ / "results.db").string() +
                ": tuning on NVIDIA H200: no configuration ran correctly at all 2 sizes\n"
                "  more configurations may serve them together: --keep");
}

TEST_F(WisdomTest, IsAHeaderWhoseFieldsHaveTheTypesOfTheirValues) {
  Wisdom wisdom{"n-body", "tuning", "time", false, {}};
  wisdom.entries.push_back(
      {"GPU \"X\"", 90, 132, {"", "a\\b", {{"B", 8}, {"F", true}, {"G", 1}, {"int", 2}}, {}}, 0.5});
  wisdom.entries.push_back({"GPU Y", 0, 0, {"", "c", {{"B", 0.5}, {"G", std::string("x")}}, {}}, 1});
  const std::string text = wisdom_header(wisdom);
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("namespace tailwave_wisdom::n_body_tuning {")) << text;
  EXPECT_TRUE(
      has("  std::string_view variant;\n  double B = 0.0;\n  bool F = false;\n  std::string_view G = \"\";\n"
          "  std::int64_t int_ = 0;\n"))
      << text;
  EXPECT_TRUE(has(R"({{"GPU \"X\"", 90, 132}, {}, {"a\\b", 8.0, true, "1", 2}, 0.5},)")) << text;
  EXPECT_TRUE(has(R"({{"GPU Y", 0, 0}, {}, {"c", 0.5, false, "x", 0}, 1.0},)")) << text;
}

}  // namespace
}  // namespace tailwave
