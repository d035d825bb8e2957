// Traces and curves from a file; the way there and back is tested in cli/observe_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "interchange/import.h"
#include "interchange/observed_export.h"
#include "store/sample_counters.h"
#include "store/sample_timelines.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;
using samples::TemporaryFolder;

constexpr const char* kObserved = R"json({
  "schema_version": 1, "experiment": "residency", "device": "NVIDIA H200", "system": "nbody", "curves": [],
  "traces": [ {
    "device": {"kind": "cuda", "name": "NVIDIA H200", "uuid": "GPU-1", "compute_capability": 90, "sms": 132,
               "memory_bytes": 1000, "clock_mhz": 1980, "memory_clock_mhz": 3201, "properties": {}},
    "variant": "basic", "parameters": {"BLOCK_SIZE": 32}, "problem": {"N": 64}, "method": "ptx",
    "traced_at": "2025-01-01T10:00:00Z", "driver": "580", "compiler": "NVRTC 13.0", "project_commit": "abc",
    "clock_step_ns": 32, "plain_time_ns": 900.5, "traced_time_ns": 910,
    "launches": [ {
      "position": 0, "kernel": "body_force", "grid_x": 2, "grid_y": 1, "grid_z": 1, "block_x": 32, "block_y": 1,
      "block_z": 1, "dynamic_shared_bytes": 0, "sms": 132, "blocks_per_sm": 32,
      "noted_one_in": 1, "duration_ns": 3600000000000,
      "blocks": {"block": [0, 1], "sm": [0, 140], "start_ns": [0, 32], "end_ns": [640, 3600000000000],
                 "left_ns": [600, 40], "weight": [1, 1.5]} } ] } ] })json";

class Observed : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto file = folder_ / "observed.json";
    std::ofstream(file) << text;
    return file;
  }

  // The error of importing kObserved with a part replaced, after its file's name.
  std::string import_error_after_replacing(const std::string& part, const std::string& other) {
    std::string text = kObserved;
    const auto file = write(text.replace(text.find(part), part.size(), other));
    const std::string error = error_of([&] { import_recorded(database_, file); });
    EXPECT_EQ(csv(database_, "SELECT count(*) AS traces FROM trace"), "traces\n0\n");
    const std::string prefix = file.string() + ": ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(Observed, KeepsBlocksUpToItsBounds) {
  const ImportSummary summary = import_recorded(database_, write(kObserved));
  EXPECT_EQ(summary.what, "traces, curves, counters and timelines");
  EXPECT_EQ(summary.trials_added, 1);
  EXPECT_EQ(csv(database_, "SELECT block, sm, start_ns, end_ns FROM block_trace ORDER BY block"),
            "block,sm,start_ns,end_ns\n0,0,0,640\n1,140,32,3600000000000\n");
}

TEST_F(Observed, TakesOneLaunchWhereTheFileDoesNotSayHowMany) {
  import_recorded(database_, write(kObserved));
  EXPECT_EQ(csv(database_, "SELECT count FROM trace_launch"), "count\n1\n");
  std::string text = kObserved;
  const std::string kernel = "\"kernel\": \"body_force\"", time = "10:00:00Z";
  text.replace(text.find(kernel), kernel.size(), kernel + ", \"count\": 20");
  text.replace(text.find(time), time.size(), "11:00:00Z");
  import_recorded(database_, write(text));
  EXPECT_EQ(csv(database_, "SELECT count FROM trace_launch ORDER BY trace_id"), "count\n1\n20\n");
}

TEST_F(Observed, IsRefusedWhereANameLeadsOutOfTheReportsFolder) {
  EXPECT_EQ(import_error_after_replacing(R"("experiment": "residency")", R"("experiment": "../../x")"),
            "/experiment: '../../x' is a path and no name");
  EXPECT_EQ(import_error_after_replacing(R"("system": "nbody")", R"("system": "..")"),
            "/system: '..' is a path and no name");
}

TEST_F(Observed, OfTwoExperimentsInOneSecondIsBoth) {
  import_recorded(database_, write(kObserved));
  std::string text = kObserved;
  const std::string experiment = R"("experiment": "residency")";
  text.replace(text.find(experiment), experiment.size(), R"("experiment": "waves")");
  EXPECT_EQ(import_recorded(database_, write(text)).trials_added, 1);
  EXPECT_EQ(import_recorded(database_, write(text)).trials_present, 1);
}

TEST_F(Observed, RefusesABlockThatBeginsBeforeItsLaunch) {
  EXPECT_EQ(import_error_after_replacing("[0, 32]", "[0, -1]"),
            "/traces/0/launches/0/blocks/start_ns/1: -1 is not within 0 and 3600000000000");
}

TEST_F(Observed, RefusesABlockThatEndsBeforeItBegins) {
  EXPECT_EQ(import_error_after_replacing("[0, 32]", "[641, 32]"),
            "/traces/0/launches/0/blocks/end_ns/0: 640 is not within 641 and 3600000000000");
}

TEST_F(Observed, RefusesABlockOfMoreThanAnHour) {
  EXPECT_EQ(import_error_after_replacing("[640, 3600000000000]", "[640, 3600000000001]"),
            "/traces/0/launches/0/blocks/end_ns/1: 3600000000001 is not within 32 and 3600000000000");
}

TEST_F(Observed, RefusesABlockWhoseWarpsLeftOutsideItsTime) {
  EXPECT_EQ(import_error_after_replacing("[600, 40]", "[600, 31]"),
            "/traces/0/launches/0/blocks/left_ns/1: 31 is not within 32 and 3600000000000");
}

TEST_F(Observed, RefusesABlockTwiceAndOneThatTheGridHasNot) {
  EXPECT_EQ(import_error_after_replacing("[0, 1], \"sm\"", "[1, 1], \"sm\""),
            "/traces/0/launches/0/blocks/block/1: 1 is not within 2 and 1");
  EXPECT_EQ(import_error_after_replacing("[0, 1], \"sm\"", "[0, 2], \"sm\""),
            "/traces/0/launches/0/blocks/block/1: 2 is not within 1 and 1");
}

TEST_F(Observed, RefusesABlockThatStandsForMoreThanThereAre) {
  EXPECT_EQ(import_error_after_replacing("[1, 1.5]", "[1, 2.5]"),
            "/traces/0/launches/0/blocks/weight/1: 2.5 is not within 1 and 2");
}

TEST_F(Observed, RefusesColumnsOfDifferentLengths) {
  EXPECT_EQ(import_error_after_replacing("[0, 140]", "[0]"),
            "/traces/0/launches/0/blocks/sm: has 1 values, block has 2");
}

TEST_F(Observed, RefusesANumberThatNoSmHas) {
  EXPECT_EQ(import_error_after_replacing("[0, 140]", "[-1, 140]"),
            "/traces/0/launches/0/blocks/sm/0: -1 is not within 0 and 99999");
}

TEST_F(Observed, RefusesAnotherSchemaVersion) {
  EXPECT_EQ(import_error_after_replacing("\"schema_version\": 1", "\"schema_version\": 2"),
            "/schema_version: version 2, but this tailwave reads 1");
}

TEST_F(Observed, HasTheLatestCountersOfEachSetThereAndBack) {
  samples::add_counted(database_, samples::counted("basic", {}, {{"a__x.sum", 1}}), "2025-01-01T10:00:00Z");
  CounterRun latest = samples::counted("basic", {}, {{"a__x.sum", 2}, {"a__y.sum", std::nan("")}});
  latest.left_out = "a__z.sum";
  samples::add_counted(database_, latest, "2025-01-02T10:00:00Z");
  CounterRun chosen = samples::counted("basic", {}, {{"a__z.avg.pct_of_peak_sustained_elapsed", 101}});
  chosen.metric_set = CounterSet::chosen;
  chosen.time_ns.reset();
  samples::add_counted(database_, chosen, "2025-01-03T10:00:00Z");
  const std::string text =
      export_observed(database_, {.experiment = "variants", .device = samples::gpu().name});
  Database other(folder_ / "other.db", Database::Mode::read_write);
  EXPECT_EQ(import_recorded(other, write(text)).trials_added, 2);
  EXPECT_EQ(import_recorded(other, write(text)).trials_present, 2);
  const char* const columns =
      "SELECT name, metric_set, chip, passes, time_ns, left_out, counted_at, kernel, metric, value, doubt "
      "FROM counter_run JOIN configuration ON configuration.id = configuration_id "
      "JOIN counted_launch ON counted_launch.counter_run_id = counter_run.id "
      "JOIN counter_value USING (counter_run_id, position) WHERE counted_at > '2025-01-02' ORDER BY counted_at, metric";
  EXPECT_EQ(csv(other, columns), csv(database_, columns));
  EXPECT_EQ(export_observed(other, {.experiment = "variants", .device = samples::gpu().name}), text);
}

TEST_F(Observed, HasTheLatestTimelinesThereAndBack) {
  samples::store_timeline(database_, samples::sample_timeline(), "2025-01-01T10:00:00Z");
  Timeline latest = samples::sample_timeline();
  latest.remark = "the first 3 of 4 records";
  latest.found = 4;
  samples::store_timeline(database_, latest, "2025-01-02T10:00:00Z");
  samples::store_timeline(database_, samples::sample_timeline("shared"), "2025-01-01T10:00:00Z");
  const std::string text =
      export_observed(database_, {.experiment = "variants", .device = samples::gpu().name});
  Database other(folder_ / "other.db", Database::Mode::read_write);
  EXPECT_EQ(import_recorded(other, write(text)).trials_added, 2);
  EXPECT_EQ(import_recorded(other, write(text)).trials_present, 2);
  const char* const columns =
      "SELECT configuration.name, code_hash, time_ns, executions, found, remark, observed_at, number, kind, "
      "timeline_record.name, position, gpu, stream, begin_ns, end_ns, bytes "
      "FROM timeline JOIN configuration ON configuration.id = configuration_id "
      "JOIN timeline_record ON timeline_id = timeline.id "
      "WHERE configuration.name LIKE '%shared%' OR found = 4 ORDER BY configuration.name, number";
  EXPECT_EQ(csv(other, columns), csv(database_, columns));
  EXPECT_EQ(export_observed(other, {.experiment = "variants", .device = samples::gpu().name}), text);
}

TEST_F(Observed, RefusesRecordsThatCannotBe) {
  samples::store_timeline(database_, samples::sample_timeline(), "2025-01-01T10:00:00Z");
  const std::string good =
      export_observed(database_, {.experiment = "variants", .device = samples::gpu().name});
  Database other(folder_ / "other.db", Database::Mode::read_write);
  const auto error_with = [&](const std::string& part, const std::string& instead) {
    std::string text = good;
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
    const auto file = write(text.replace(text.find(part), part.size(), instead));
    const std::string error = error_of([&] { import_recorded(other, file); });
    return error.starts_with(file.string()) ? error.substr(file.string().size() + 2) : error;
  };
  EXPECT_EQ(error_with("\"number\": [0,1,2]", "\"number\": [0,2,1]"),
            "/timelines/0/records/number/1: 2 is not within 1 and 1");
  EXPECT_EQ(error_with("\"begin_ns\": [0,300,750]", "\"begin_ns\": [0,300,200]"),
            "/timelines/0/records/begin_ns/2: 200 is not within 300 and 3600000000000");
  EXPECT_EQ(error_with("\"end_ns\": [400,600,1000]", "\"end_ns\": [400,299,1000]"),
            "/timelines/0/records/end_ns/1: 299 is not within 300 and 3600000000000");
  EXPECT_EQ(error_with("\"stream\": [0,1,0]", "\"stream\": [0,1]"),
            "/timelines/0/records/stream: has 2 values, number has 3");
  EXPECT_EQ(csv(other, "SELECT count(*) AS timelines FROM timeline"), "timelines\n0\n");
}

TEST_F(Observed, RefusesCountersWithoutAValueForEachMetric) {
  samples::add_counted(database_, samples::counted("basic", {}, {{"a__x.sum", 1}}), "2025-01-01T10:00:00Z");
  std::string text = export_observed(database_, {.experiment = "variants", .device = samples::gpu().name});
  const std::string unit = "\"unit\": [\"\"]";
  ASSERT_NE(text.find(unit), std::string::npos) << text;
  text.replace(text.find(unit), unit.size(), "\"unit\": []");
  const auto file = write(text);
  EXPECT_EQ(error_of([&] { import_recorded(database_, file); }),
            file.string() + ": /counters/0/launches/0/values/unit: has 0 values, metric has 1");
}

}  // namespace
}  // namespace tailwave
