#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

// The experiment with two metrics of its own.
class MetricsTest : public ProjectFixture {
 protected:
  MetricsTest() {
    write("experiments/transpose/tile_size.json", R"({ "schema_version": 1, "name": "tile_size",
      "system": "transpose", "question": "Which tile is best?",
      "cases": [ {"variant": "tile", "parameters": {"TILE": [4, 8]}} ],
      "metrics": [ {"name": "bandwidth", "value": "bytes / time / 1e6", "unit": "MB/s", "goal": "max"},
                   {"name": "bytes_per_second"},
                   {"name": "copied", "value": "bytes / COPY_BANDWIDTH / time", "goal": "max"} ],
      "measure": {"samples": 7, "time_cap_s": 60} })");
  }
};

TEST_F(MetricsTest, AreShownStoredAndTold) {
  ASSERT_EQ(tailwave({"check", "experiments"}).exit_status, 0);
  const CommandResult result = tailwave(kRun);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("bandwidth (MB/s)"));
  EXPECT_THAT(result.out, HasSubstr("bytes/s"));
  EXPECT_THAT(result.out, HasSubstr("copied: not known of 2 configurations: COPY_BANDWIDTH of "));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial_metric"), "6");
  EXPECT_EQ(scalar("SELECT count(*) FROM trial_metric AS own JOIN trial_metric AS rate USING (trial_id) "
                   "WHERE own.name = 'bandwidth' AND rate.name = 'bytes_per_second' "
                   "AND abs(rate.value / own.value / 1e6 - 1) < 1e-9"),
            "2");
  const CommandResult query = tailwave({"query", "metrics", "--format", "csv"});
  EXPECT_THAT(query.out,
              HasSubstr("experiment,run_device,configuration,metric,value,low,high,unit,goal,missing"));
  EXPECT_THAT(query.out, HasSubstr("MB/s,max,,0,\n"));
  EXPECT_THAT(query.out, HasSubstr("is not known,0,\n"));
  EXPECT_THAT(tailwave({"query", "best"}).out, HasSubstr("bandwidth"));
}

TEST_F(MetricsTest, AreInReportsAndInJson) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  ASSERT_EQ(tailwave({"report", "--out", "report"}).exit_status, 0);
  std::ostringstream page;
  page << std::ifstream(project_ / "report/transpose/tile_size.md").rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("bandwidth (MB/s)"));
  EXPECT_THAT(page.str(), HasSubstr("copied: COPY_BANDWIDTH of "));
  std::vector<std::string> in_json = kRun;
  in_json.emplace_back("--json");
  EXPECT_THAT(tailwave(in_json).out, HasSubstr("\"metrics\""));
}

TEST_F(MetricsTest, OfWhichNoneIsMoreImportantHaveAFront) {
  write("experiments/transpose/tile_size.json", R"({ "schema_version": 1, "name": "tile_size",
    "system": "transpose", "question": "Which tile is best?",
    "cases": [ {"variant": "tile", "parameters": {"TILE": [4, 8]}} ],
    "metrics": [ {"name": "time"}, {"name": "difference", "value": "error", "goal": "min"} ],
    "objectives": ["time", "difference"], "measure": {"samples": 7, "time_cap_s": 60} })");
  const CommandResult result = tailwave(kRun);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" on the front of time and difference: "));
  const CommandResult query = tailwave({"query", "front", "--format", "csv"});
  EXPECT_THAT(query.out, HasSubstr("/TILE:"));
  EXPECT_THAT(query.out, HasSubstr(",difference,0,0,0,,min,\n"));
  ASSERT_EQ(tailwave({"report", "--out", "report"}).exit_status, 0);
  std::ostringstream page;
  page << std::ifstream(project_ / "report/transpose/tile_size.md").rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("### Which no other one beats"));
  const CommandResult tuned = tailwave({"tune", "experiments/transpose/tile_size.json", "--strategy",
                                        "random", "--budget", "2", "--device", "cpu", "--json"});
  ASSERT_EQ(tuned.exit_status, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("\"front\": ["));
}

TEST_F(MetricsTest, TravelWithRecordedResults) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const CommandResult exported =
      tailwave({"export", "--experiment", "tile_size", "--device", "cpu", "--out", "recorded.json"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  ASSERT_EQ(tailwave({"import", "recorded.json", "--db", "other.db"}).exit_status, 0);
  for (const char* sql : {"SELECT value, low IS NOT NULL, missing FROM trial_metric ORDER BY value, missing",
                          "SELECT metric_value FROM sample ORDER BY metric_value",
                          "SELECT max(metric_expression || metric_unit) FROM run"})
    EXPECT_EQ(tailwave({"query", "--sql", sql, "--format", "csv"}).out,
              tailwave({"query", "--sql", sql, "--format", "csv", "--db", "other.db"}).out)
        << sql;
  replace("recorded.json", "\"low\":", "\"lower\":");  // a value without its interval
  const CommandResult refused = tailwave({"import", "recorded.json", "--db", "third.db"});
  EXPECT_NE(refused.exit_status, 0);
  EXPECT_THAT(refused.err, HasSubstr("/metrics: "));
  const CommandResult t4 =
      tailwave({"export", "--format", "t4", "--experiment", "tile_size", "--device", "cpu"});
  EXPECT_THAT(t4.out, HasSubstr("\"bandwidth\""));
  EXPECT_THAT(t4.out, HasSubstr("\"MB/s\""));
}

}  // namespace
}  // namespace tailwave
