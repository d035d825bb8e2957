#include "report/explorer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "core/error.h"
#include "json/compressed_file.h"
#include "report/explorer_columns.h"
#include "report/fixture.h"
#include "report/study_reader.h"
#include "store/sample_counters.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class ExplorerData : public samples::Fixture {
 protected:
  json page(const std::string& experiment) {
    const std::string text = Explorer(database_).json(load_studies(database_, {experiment}).front());
    return text.empty() ? json() : json::parse(text);
  }
  static json column(const json& device, const std::string& label) {
    const auto& columns = device["columns"];
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const json& one) { return one["label"] == label; });
    return found == columns.end() ? json() : *found;
  }
};

TEST_F(ExplorerData, HasARowForEachConfigurationThatRanOnADevice) {
  const json data = page("nbody/basic_block_size");
  EXPECT_EQ(data["experiment"], "nbody/basic_block_size");
  EXPECT_EQ(data["maximise"], true);
  ASSERT_EQ(data["devices"].size(), 2U);
  const json& gpu = data["devices"][0];
  EXPECT_EQ(gpu["name"], "NVIDIA H200");
  EXPECT_EQ(gpu["rows"], 5);
  EXPECT_EQ(gpu["left_out"], 0);
  EXPECT_EQ(column(gpu, "BLOCK_SIZE")["data"], json({1, 2, 30, 32, 1025}));
  EXPECT_EQ(gpu["names"][0], "nbody/basic/BLOCK_SIZE:1/DT:0.01/N:4096");
  EXPECT_THAT(gpu["constant"].dump(), HasSubstr(R"(["variant","basic"])"));
  EXPECT_THAT(gpu["constant"].dump(), HasSubstr(R"(["N","4096"])"));
  const json outcome = column(gpu, "outcome");
  EXPECT_EQ(outcome["values"], json({"correct", "wrong_result", "exceeds_device_limit"}));
  EXPECT_EQ(outcome["codes"], json({0, 0, 1, 0, 2}));
}

TEST_F(ExplorerData, HasNumbersOfWhatIsCorrectAndReasonsForTheRest) {
  const json gpu = page("nbody/basic_block_size")["devices"][0];
  const json metric = column(gpu, "interactions/s");
  EXPECT_EQ(metric["role"], "metric");
  EXPECT_EQ(metric["format"], "si");
  EXPECT_EQ(metric["data"][3], 4.79349e10);  // 4096 x 4096 in 350 us
  EXPECT_TRUE(metric["data"][2].is_null());
  EXPECT_EQ(column(gpu, "median time")["data"], json({0.0011, 0.00061, nullptr, 0.00035, nullptr}));
  EXPECT_EQ(column(gpu, "waves")["data"], json({0.97, 0.48, nullptr, 0.03, nullptr}));
  // not the one that was dropped
  EXPECT_EQ(gpu["samples"][3],
            json({{"count", 4}, {"low", -286}, {"high", 286}, {"parts", {-286, 0, 286, 0}}}));
  EXPECT_TRUE(gpu["samples"][4].is_null());
  EXPECT_EQ(gpu["details"]["codes"], json({-1, -1, 0, -1, 1}));
  EXPECT_THAT(std::string(gpu["details"]["values"][0]),
              StartsWith("bodies[3] = <script>alert(1)</script> |"));
}

TEST_F(ExplorerData, ExplainsTheBestBesideTheSlowestAndTheNextOnes) {
  const json explained = page("nbody/basic_block_size")["devices"][0]["explained"];
  ASSERT_EQ(explained.size(), 3U) << explained;
  EXPECT_THAT(std::string(explained["0"]), HasSubstr("3.143"));  // 1100 us by 350 us
  EXPECT_THAT(std::string(explained["3"]), HasSubstr("the slowest"));
}

TEST_F(ExplorerData, IsThereWhereThereIsSomethingToExplore) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("single", "2025-06-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1e5}));
  EXPECT_TRUE(page("nbody/single").is_null());
  const json data = page("nbody/variants");  // with a host variant, which the GPU did not run
  ASSERT_EQ(data["devices"].size(), 1U);
  EXPECT_EQ(data["devices"][0]["rows"], 3);
  EXPECT_EQ(column(data["devices"][0], "variant")["values"], json({"basic", "shared"}));
}

TEST_F(ExplorerData, HasThousandsOfTimedConfigurations) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("many", "2025-06-01T10:00:00Z"), samples::gpu());
  database_.execute(fmt::format(R"(
    WITH RECURSIVE one (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM one WHERE i < 5000)
    INSERT INTO configuration SELECT 1000 + i, 'made ' || i, 'nbody', 'made', json_object('I', i), '{{}}' FROM one;
    INSERT INTO trial (run_id, device_id, configuration_id, key, outcome, timer, mode, work)
      SELECT {}, 1, id, '', 'correct', 'cuda_event', 'isolated', '{{"interactions": 1000}}'
      FROM configuration WHERE variant = 'made';
    INSERT INTO sample (trial_id, repetition, position, time_ns, executions)
      SELECT trial.id, 0, position, 1000 + configuration_id, 1
      FROM trial CROSS JOIN (SELECT 0 AS position UNION ALL SELECT 1) WHERE run_id = {};)",
                                run, run));
  const json gpu = page("nbody/many")["devices"][0];
  EXPECT_EQ(gpu["rows"], 5000);
  EXPECT_EQ(column(gpu, "I")["data"][4999], 5000);
  EXPECT_EQ(column(gpu, "median time")["data"][4999], 7e-6);
  EXPECT_EQ(gpu["samples"][4999]["parts"], json({0, 0}));
}

TEST_F(ExplorerData, HasTheCountersOfWhatWasCounted) {
  const Study study = load_studies(database_, {"nbody/basic_block_size"}).front();
  const std::vector<const StudyRow*> rows{&study.devices[0].rows[0], &study.devices[0].rows[1]};
  const ExplorerColumns found = explorer_columns(
      study, rows, {{rows[1]->configuration, {.hardest_unit = "fma", .hardest_share = 0.7251234}}});
  const json device{{"columns", found.columns}};
  EXPECT_EQ(column(device, "hardest driven"), json({{"label", "hardest driven"},
                                                    {"role", "counter"},
                                                    {"format", "number"},
                                                    {"values", {"fma"}},
                                                    {"codes", {-1, 0}}}));
  EXPECT_EQ(column(device, "its share of the peak")["data"], json({nullptr, 0.725123}));
  EXPECT_TRUE(column(device, "DRAM").is_null());
}

// Two configurations of an experiment of their own, each with a build of its own.
class ExplorerCountersTest : public samples::Fixture {
 protected:
  void SetUp() override {
    samples::Fixture::SetUp();
    ResultStore store(database_);
    const std::int64_t run = store.begin_run(samples::run("counted", "2025-06-01T10:00:00Z"), samples::gpu());
    for (const int block : {64, 128}) {
      std::vector<double> times;
      for (int i = 0; i < 121; ++i) times.push_back(1e5 * (1 + 1e-4 * (i % 100)));
      Trial trial = samples::trial("basic", {{"BLOCK_SIZE", block}}, times);
      trial.key = "counted " + std::to_string(block);
      trial.build = BuildRecord{.key = trial.key,
                                .compiler = "NVRTC 13.0",
                                .target = "sm_90",
                                .options = "",
                                .code_hash = "new",
                                .log = ""};
      store.add_trial(run, samples::gpu(), trial);
    }
  }
  void count(int block, const std::string& code_hash, std::map<std::string, double> second_launch = {}) {
    CounterRun run = samples::counted("basic", {{"BLOCK_SIZE", block}}, samples::counted_values());
    run.code_hash = code_hash;
    if (!second_launch.empty()) {
      CountedLaunch longer = run.launches.front();
      longer.position = 1;
      longer.kernel = "longer";
      longer.values.clear();
      for (const auto& [metric, value] : second_launch)
        longer.values.push_back(counter_value(metric, value, ""));
      run.launches.push_back(std::move(longer));
    }
    samples::add_counted(database_, run, "2025-06-02T10:00:00Z", "counted");
  }
  json device() {
    return json::parse(
        Explorer(database_).json(load_studies(database_, {"nbody/counted"}).front()))["devices"][0];
  }
  // Whether a column of counters says anything.
  bool has_counters() {
    const json found = device();
    const bool varies = std::any_of(found["columns"].begin(), found["columns"].end(),
                                    [](const json& one) { return one["role"] == "counter"; });
    return varies || found["constant"].dump().find("hardest driven") != std::string::npos;
  }
};

TEST_F(ExplorerCountersTest, AreThoseOfTheMachineCodeThatRan) {
  count(64, "old");
  EXPECT_FALSE(has_counters());
  count(128, "new");
  EXPECT_TRUE(has_counters());
}

TEST_F(ExplorerCountersTest, AreThoseOfTheMainLaunchOrNone) {
  std::map<std::string, double> longer = samples::counted_values();
  longer["gpu__time_duration.sum"] = 20'000;
  longer["sm__warps_active.sum"] = 132.0 * 65 * 16'000;  // more than fit
  count(64, "new", longer);
  EXPECT_FALSE(has_counters()) << "the shorter launch is not the main one";
}

TEST_F(ExplorerCountersTest, SamplesAreThinnedEvenlyAndCountedWhole) {
  const json samples = device()["samples"][0];
  EXPECT_EQ(samples["count"], 121);
  EXPECT_EQ(samples["parts"].size(), 60U);
  EXPECT_EQ(samples["high"].get<int>() - samples["low"].get<int>(), 99);
  EXPECT_GT(samples["parts"][59], samples["parts"][50]) << "to the last one: 20 after 0 began again";
}

TEST(ExplorerColumns, TextsAreTheirPlacesAmongThoseThatDiffer) {
  EXPECT_EQ(coded_texts({"b", "", "a", "b"}), json({{"values", {"b", "a"}}, {"codes", {0, -1, 1, 0}}}));
  EXPECT_EQ(short_number(1.0 / 3), json(0.333333));
  EXPECT_TRUE(short_number(std::nullopt).is_null());
  EXPECT_TRUE(short_number(INFINITY).is_null());
}

TEST(ExplorerFigure, HasItsDataCompressedAndNoTextOfThem) {
  const std::string data = R"({"experiment": "</script><b>"})";
  EXPECT_EQ(explorer_figure(data),
            "<div class=\"explorer\">\n<noscript><p>The explorer needs JavaScript; the tables have the same "
            "numbers.</p></noscript>\n<script type=\"application/octet-stream\">" +
                base64(compressed(data)) + "</script>\n</div>");
}

TEST(ExplorerFigure, HasOneScriptThatLeavesNoNamesBehind) {
  const std::string script = explorer_script();
  EXPECT_THAT(script, StartsWith("\"use strict\";\n(() => {\n// The data of an explorer"));
  for (const char* const part : {"class Column ", "class Axis ", "class Colours ", "class Parallel ",
                                 "class Scatter ", "class Table ", "class Details ", "class Explorer "})
    EXPECT_THAT(script, HasSubstr(part));
  EXPECT_THAT(script, testing::EndsWith("\n})();\n"));
}

}  // namespace
}  // namespace tailwave
