#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTileSize = "experiments/transpose/tile_size.json";
constexpr const char* kDatabase = "results/tailwave.db";

class PlanForeignTest : public ProjectFixture {
 protected:
  void SetUp() override {
    const CommandResult result = tailwave({"plan", kTileSize, "--target", "sm_90"});
    if (result.err.find("plan needs NVRTC") != std::string::npos) GTEST_SKIP() << result.err;
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  // Times of the experiment's tiles 4, 8 and 16, in us.
  void add(const std::string& device_name, const std::vector<double>& times_us) const {
    Database database(project_ / kDatabase, Database::Mode::read_write);
    DeviceDescription device = samples::gpu();
    device.name = device_name;
    RunRecord run = samples::run("tile_size", "2025-01-01T10:00:00Z");
    run.system = "transpose";
    ResultStore store(database);
    const std::int64_t id = store.begin_run(run, device);
    std::int64_t tile = 4;
    for (const double time_us : times_us) {
      Trial trial = samples::trial("tile", {}, {1000 * time_us});
      trial.configuration = {
          "transpose", "tile", {{"BREAK", std::int64_t{0}}, {"TILE", tile}}, {{"N", std::int64_t{70}}}};
      trial.key = "key of " + trial.configuration.name();
      store.add_trial(id, device, trial);
      tile *= 2;
    }
  }
  [[nodiscard]] CommandResult plan(std::vector<std::string> options) const {
    options.insert(options.begin(), {"plan", kTileSize});
    return tailwave(options);
  }
};

TEST_F(PlanForeignTest, PredictsTimesBestFirst) {
  add("NVIDIA H200", {30, 10, 20});
  const CommandResult result = plan({"--from", "h200", "--target", "h100"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("tile_size on NVIDIA H100 80GB HBM3, 132 SMs, compiled for sm_90 by NVRTC"));
  EXPECT_THAT(result.out, HasSubstr("\npredicted from NVIDIA H200\n"));
  EXPECT_LT(result.out.find("TILE:8"), result.out.find("TILE:16"));
  EXPECT_LT(result.out.find("TILE:16"), result.out.find("TILE:4"));
  EXPECT_THAT(result.out,
              testing::EndsWith("3 of 3 from times alone: anywhere between what memory and what SMs say "
                                "(memory_ratio, sm_ratio)\n"));
}

TEST_F(PlanForeignTest, PredictsForSomeOfADevicesSms) {
  add("NVIDIA H200", {30, 10, 20});
  const CommandResult result = plan({"--from", "h200", "--target", "h200:64", "--format", "csv"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("configuration,outcome,source_us,predicted_us,low_80_us,high_80_us,"));
}

TEST_F(PlanForeignTest, ComparesWithWhatWasMeasuredAndTakesSomeOfItAsKnown) {
  add("NVIDIA H200", {30, 10, 20});
  add("NVIDIA H100 80GB HBM3", {40, 14, 25});
  const CommandResult result = plan({"--from", "h200", "--target", "h100"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nmeasured on NVIDIA H100 80GB HBM3: 3 of 3 in the 80 % interval"));
  const CommandResult known = plan({"--from", "h200", "--target", "h100", "--known", "5", "--json"});
  ASSERT_EQ(known.exit_status, 0) << known.err;
  const nlohmann::json document = nlohmann::json::parse(known.out).at("plans").at(0);
  EXPECT_EQ(document.at("from"), nlohmann::json::array({"NVIDIA H200"}));
  EXPECT_EQ(document.at("target"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(document.at("record").at("known"), 3);
  EXPECT_EQ(document.at("record").at("measured"), 0);
  EXPECT_EQ(document.at("configurations").at(0).at("outcome"), "known");
  EXPECT_EQ(tailwave({"query", "foreign_record", "--format", "csv"}).exit_status, 0);
}

TEST_F(PlanForeignTest, SaysHowManyOfTheKnownThereAre) {
  add("NVIDIA H200", {30, 10, 20});
  const CommandResult result = plan({"--from", "h200", "--target", "h100", "--known", "5"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.err, "tile_size: NVIDIA H100 80GB HBM3 has run 0 of the 5 that --known asks for\n");
}

TEST_F(PlanForeignTest, RefusesWhatCannotBePredictedFrom) {
  EXPECT_THAT(plan({"--from", "h200"}).err, StartsWith("results/tailwave.db: there is no such database"));
  add("NVIDIA H200", {30, 10, 20});
  const auto refused = [&](const std::vector<std::string>& options, const std::string& message) {
    const CommandResult result = plan(options);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.err, message);
  };
  refused({"--from", "a100"}, "results/tailwave.db: no device 'a100'\n  it has results of: NVIDIA H200\n");
  refused({"--from", "cuda"},
          "--from cuda: a kind of device\n  name a GPU that the database has times of, for example h200\n");
  refused(
      {"--from", "h200", "--target", "h200"},
      "NVIDIA H200 is the target and what to predict it from\n  'tailwave query best' has what was measured there\n");
  refused({"--from", "h200", "--target", "h100,a100"},
          "--from predicts for one --target, there are 2\n  name one of them\n");
  refused({"--known", "3"}, "--known without --from\n  name the device whose times are known: --from h200\n");
  refused({"--from", "h200", "--target", "h200:200"},
          "device 'h200': 200 SMs exceed the 132 that the device has\n");
}

TEST_F(PlanForeignTest, GoesOnWithoutExperimentsThatNobodyRan) {
  add("NVIDIA H200", {30, 10, 20});
  write("experiments/transpose/other.json",
        R"({"schema_version": 1, "name": "other", "system": "transpose", "question": "?",
            "cases": [{"variant": "tile", "parameters": {"TILE": [4]}}], 
            "metric": {"name": "bytes_per_second", "goal": "max"}})");
  const std::string message =
      "results/tailwave.db: no trials of experiment 'transpose/other' on device 'NVIDIA H200'\n";
  const CommandResult alone = tailwave({"plan", "experiments/transpose/other.json", "--from", "h200"});
  EXPECT_EQ(alone.exit_status, 2);
  EXPECT_EQ(alone.err, message + "  run it there, or import what was recorded there\n");
  const CommandResult all = tailwave({"plan", "experiments", "--from", "h200"});
  EXPECT_EQ(all.exit_status, 0);
  EXPECT_EQ(all.err, message);
  EXPECT_THAT(all.out, testing::Not(HasSubstr("all 1 experiments")));
}

}  // namespace
}  // namespace tailwave
