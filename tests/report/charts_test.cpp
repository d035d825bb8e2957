#include "report/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/fixture.h"
#include "report/sql_files.h"
#include "report/study_reader.h"
#include "report/traces.h"
#include "store/sample_counters.h"
#include "store/sample_timelines.h"

namespace tailwave {
namespace {

using nlohmann::json;
using samples::csv;

const std::string kTraced = "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096";

json bound(const std::string& spec, const Table& rows) {
  const std::vector<Chart> charts = bind_charts("test", spec, R"({"background": "#fff"})", rows);
  EXPECT_EQ(charts.size(), 1U);
  return json::parse(charts.front().spec);
}

TEST(BindCharts, MakesOnePictureOfTheRowsWithTheSameChart) {
  const Table rows{{"chart", "title", "subtitle", "x"},
                   {{"b", "First", "one\ntwo", std::int64_t{1}},
                    {"a", "Second", std::monostate{}, std::int64_t{2}},
                    {"b", "First", "one\ntwo", std::int64_t{3}}}};
  const std::vector<Chart> charts = bind_charts("test", R"({"title": "{title}{subtitle}"})", "{}", rows);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].title, "First. one. two");
  EXPECT_EQ(charts[1].title, "Second");
  EXPECT_EQ(json::parse(charts[0].spec)["data"]["values"], json::parse(R"([{"x": 1}, {"x": 3}])"));
  EXPECT_EQ(json::parse(charts[1].spec)["data"]["values"], json::parse(R"([{"x": 2}])"));
}

TEST(BindCharts, ReplacesPlaceholdersAndKeepsTheTypeOfAWholeOne) {
  const Table rows{{"chart", "height", "unit"}, {{"a", std::int64_t{120}, "us {height}"}}};
  const json spec = bound(R"({"height": "{height}", "title": ["in {unit}", "{other}"]})", rows);
  EXPECT_EQ(spec["height"], 120);
  EXPECT_EQ(spec["title"], json::parse(R"(["in us {height}", "{other}"])"));
  EXPECT_EQ(spec["data"], json::parse(R"({"values": [{}]})"));
  EXPECT_EQ(spec["config"], json::parse(R"({"background": "#fff"})"));
}

TEST(BindCharts, LeavesNullsOut) {
  const Table rows{{"chart", "x", "y"}, {{"a", std::monostate{}, 0.5}}};
  EXPECT_EQ(bound("{}", rows)["data"]["values"], json::parse(R"([{"y": 0.5}])"));
}

TEST(BindCharts, MakesAnAxisLogarithmicWhenItsValuesSpanMoreThanTwoDecades) {
  const std::string spec = R"({"encoding": {"y": {"field": "y", "type": "quantitative"}}})";
  const auto scale = [&](const std::string& text, double low, double high) {
    const json axis = bound(text, {{"chart", "y"}, {{"a", low}, {"a", high}, {"a", std::monostate{}}}});
    return axis["encoding"]["y"].value("/scale/type"_json_pointer, std::string("linear"));
  };
  EXPECT_EQ(scale(spec, 1, 101), "log");
  EXPECT_EQ(scale(spec, 1, 100), "linear");
  EXPECT_EQ(scale(spec, 0, 1000), "linear");
  EXPECT_EQ(scale(spec, -1, 1000), "linear");
  EXPECT_EQ(scale(R"({"encoding": {"y": {"field": "y", "type": "quantitative", "scale": {"type": "sqrt"}}}})",
                  1, 1000),
            "sqrt");
  EXPECT_EQ(scale(R"({"encoding": {"y": {"field": "y", "type": "ordinal"}}})", 1, 1000), "linear");
}

TEST(BindCharts, NamesAFileThatIsWrong) {
  EXPECT_EQ(samples::error_of([] {
              bind_charts("test", "{", "{}", {{"chart"}, {}});
            }),
            "analysis/charts/test.vl.json: byte 2: is not JSON\n  a chart has a query and a spec beside it");
  EXPECT_EQ(
      samples::error_of([] {
        bind_charts("test", "{}", "{}", {{"x"}, {}});
      }),
      "analysis/charts/test.sql: has no column 'chart'\n  rows with the same value in it become one picture");
}

TEST(BindCharts, EveryQueryOfTheProjectHasASpec) {
  const auto queries = sql_files("charts");
  EXPECT_GE(queries.size(), 5U);
  for (const auto& [name, sql] : queries) {
    const std::string spec = analysis_file("charts/" + name + ".vl.json");
    EXPECT_TRUE(json::accept(spec)) << name;
    EXPECT_NE(spec.find(R"("name": "rows")"), std::string::npos) << name;
  }
}

class Charts : public samples::Fixture {
 protected:
  Table rows_of(const std::string& chart, const std::string& experiment = "basic_block_size") {
    return database_.query(
        sql_files("charts").at(chart),
        {{"system", "nbody"}, {"experiment", experiment}, {"device", "NVIDIA H200"}, {"kind", "cuda"}});
  }
  // Some columns of it.
  std::string columns(const std::string& chart, const std::vector<std::string>& wanted,
                      const std::string& experiment = "basic_block_size") {
    const Table all = rows_of(chart, experiment);
    Table some{wanted, std::vector<std::vector<Cell>>(all.rows.size())};
    for (const std::string& name : wanted) {
      const auto column = std::find(all.columns.begin(), all.columns.end(), name) - all.columns.begin();
      for (std::size_t i = 0; i < all.rows.size(); ++i) some.rows[i].push_back(all.rows[i].at(column));
    }
    return csv(some);
  }
  // The first row's.
  std::string text(const std::string& chart, const std::string& column,
                   const std::string& experiment = "basic_block_size") {
    const Table all = rows_of(chart, experiment);
    const auto found = std::find(all.columns.begin(), all.columns.end(), column) - all.columns.begin();
    return std::get<std::string>(all.rows.at(0).at(found));
  }
  std::vector<std::string> names(const std::string& experiment) {
    std::vector<std::string> found;
    for (const Study& study : load_studies(database_, {experiment}))
      for (const DeviceStudy& device : study.devices)
        for (const Chart& chart : load_charts(database_, study, device).charts)
          found.push_back(std::string(to_string(device.kind)) + " " + chart.name);
    return found;
  }
  // Trials of one variant at BLOCK_SIZE by waves.
  void add_sizes(const std::string& experiment, const std::map<int, double>& waves_of) {
    ResultStore store(database_);
    const std::int64_t run =
        store.begin_run(samples::run(experiment, "2025-06-01T10:00:00Z"), samples::gpu());
    for (const auto& [size, waves] : waves_of)
      store.add_trial(run, samples::gpu(),
                      samples::with_launch(samples::trial("basic", {{"BLOCK_SIZE", size}}, {16777.216}), 792,
                                           size, 1, "blocks", 0.5, {waves, 0, 0, 1, 132}));
  }
};

TEST_F(Charts, AllHaveTheColumnsThatMakePictures) {
  for (const auto& [name, sql] : sql_files("charts")) {
    const bool of_an_experiment = sql.find(":experiment") != std::string::npos;
    const Table rows = of_an_experiment ? rows_of(name) : database_.query(sql, {});
    EXPECT_THAT(rows.columns, testing::IsSupersetOf({"chart", "title", "subtitle"})) << name;
  }
}

TEST_F(Charts, FollowFromWhatTheExperimentHas) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("nbody/basic_block_size"), Names{"cuda block_size"});
  EXPECT_EQ(names("nbody/variants"), Names{});
  EXPECT_EQ(names("jacobi/block_size"), Names{});  // two sizes
  samples::add_trace(database_, kTraced, samples::seven_blocks(), 2, 2);
  EXPECT_EQ(names("nbody/basic_block_size"),
            (Names{"cuda block_size", "cuda trace_blocks", "cuda trace_concurrency"}));
  // Another experiment that has the configuration.
  EXPECT_EQ(names("nbody/variants"), (Names{"cuda trace_blocks", "cuda trace_concurrency"}));
}

TEST_F(Charts, AreAtMostFourOfAKind) {
  for (const char* size : {"1", "2", "30", "32", "1025"})
    samples::add_trace(database_, fmt::format("nbody/basic/BLOCK_SIZE:{}/DT:0.01/N:4096", size),
                       samples::seven_blocks(), 2, 2);
  const Study study = load_studies(database_, {"nbody/basic_block_size"}).front();
  const ChartSet set = load_charts(database_, study, study.devices.front());
  EXPECT_EQ(set.charts.size(), 9U);
  ASSERT_EQ(set.cut.size(), 2U);
  EXPECT_EQ(set.cut[0], (std::pair<std::string, std::size_t>("trace_blocks", 5)));
  EXPECT_EQ(set.cut[1], (std::pair<std::string, std::size_t>("trace_concurrency", 5)));
}

TEST_F(Charts, BlockSizeHasARuleWhereAWaveIsWhole) {
  add_sizes("waves", {{1, 6}, {2, 3}, {4, 1.5}, {8, 0.75}});
  EXPECT_EQ(columns("block_size", {"part", "variant", "block_size", "value", "text"}, "waves"),
            "part,variant,block_size,value,text\n"
            "label,basic,8,1e+12,basic\n"
            "line,basic,1,1e+12,\nline,basic,2,1e+12,\n"
            "line,basic,4,1e+12,\nline,basic,8,1e+12,\n"
            "wave,,1.5,,4 waves\nwave,,3,,2 waves\nwave,,6,,1 wave\n");
  EXPECT_EQ(text("block_size", "subtitle", "waves"), "N 4096; 132 SMs; 0.75 to 6 waves");
  EXPECT_EQ(text("block_size", "y_title", "waves"), "Throughput (interactions/s)");
}

TEST_F(Charts, BlockSizeOfATimeMetricHasAUnitThatFits) {
  const auto title = [&](const std::string& experiment, double time_ns) {
    RunRecord record = samples::run(experiment, "2025-06-01T10:00:00Z");
    record.metric = "time";
    record.maximise = false;
    ResultStore store(database_);
    const std::int64_t run = store.begin_run(record, samples::gpu());
    for (const int size : {32, 64, 128})
      store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", size}}, {time_ns * size}));
    return text("block_size", "y_title", experiment);
  };
  EXPECT_EQ(title("fast", 1e3), "Time of an execution (us)");
  EXPECT_EQ(title("slow", 1e5), "Time of an execution (ms)");
  EXPECT_EQ(title("slowest", 1e8), "Time of an execution (s)");
  EXPECT_EQ(columns("block_size", {"part", "value"}, "slow"),
            "part,value\nlabel,12.8\nline,3.2\nline,6.4\nline,12.8\n");
}

TEST_F(Charts, BlockSizeHasNoRuleForANumberOfWavesThatIsPassedTwice) {
  add_sizes("waves", {{32, 1.5}, {64, 0.75}, {128, 3}});
  EXPECT_EQ(columns("block_size", {"part", "text"}, "waves"),
            "part,text\nlabel,basic\nline,\nline,\nline,\nwave,2 waves\n");
}

TEST_F(Charts, BlockStrideShowsTheBestOfEachCellBesideItsOccupancy) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("strides", "2025-06-01T10:00:00Z"), samples::gpu());
  const auto add = [&](int size, int stride, int unroll, double time_ns) {
    store.add_trial(
        run, samples::gpu(),
        samples::with_launch(
            samples::trial("shared", {{"BLOCK_SIZE", size}, {"BLOCK_STRIDE", stride}, {"UNROLL", unroll}},
                           {time_ns}),
            64, size, 8, "warps", size / 128.0, {0.25, 0, 0.25, 0.25, 64}));
  };
  add(64, 4, 1, 4000);
  add(64, 4, 8, 2000);
  add(64, 8, 1, 1000);
  add(128, 4, 1, 5000);
  store.add_trial(
      run, samples::gpu(),
      samples::failed("shared", {{"BLOCK_SIZE", 128}, {"BLOCK_STRIDE", 8}}, Outcome::wrong_result, "no"));
  EXPECT_EQ(
      columns("block_stride", {"block_size", "block_stride", "share", "text", "detail", "ground"}, "strides"),
      "block_size,block_stride,share,text,detail,ground\n"
      "64,4,0.5,50 %,\"occupancy 50 %\n0.25 waves\",dark\n"
      "128,4,0.2,20 %,\"occupancy 100 %\n0.25 waves\",dark\n"
      "64,8,1,100 %,\"occupancy 50 %\n0.25 waves\",light\n"
      "128,8,,wrong result,,light\n");
}

TEST_F(Charts, GridEfficiencyShowsTheBestModelAndTheStaircase) {
  database_.execute(R"(
    INSERT INTO grid_curve (id, device_id, configuration_id, system, experiment, measured_at, driver, compiler,
      project_commit, position, kernel, sms, blocks_per_sm, block_threads, full_grid)
    SELECT 1, device.id, configuration.id, 'nbody', 'basic_block_size', '2025-06-01', '', '', '', 0, 'body_force', 2, 2,
      32, 128 FROM device, configuration
    WHERE device.kind = 'cuda' AND configuration.name = 'nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096';
    INSERT INTO grid_sample VALUES (1, 2, 0, 100, 0), (1, 2, 1, 90, 0), (1, 2, 2, 130, 0), (1, 4, 0, 100, 1),
      (1, 5, 0, 200, 0), (1, 8, 0, 200, 0);
    INSERT INTO grid_prediction VALUES (1, 'staircase', 2, 100), (1, 'staircase', 4, 100), (1, 'staircase', 5, 220),
      (1, 'staircase', 8, 220), (1, 'partial_wave', 2, 100), (1, 'partial_wave', 4, 100), (1, 'partial_wave', 5, 200),
      (1, 'partial_wave', 8, 250), (1, 'worse', 2, 300), (1, 'worse', 4, 300), (1, 'worse', 5, 300),
      (1, 'worse', 8, 300);)");
  EXPECT_EQ(columns("grid_efficiency", {"part", "blocks", "efficiency", "text"}),
            "part,blocks,efficiency,text\n"
            "best,2,0.5,\nbest,4,1,\nbest,5,0.625,\nbest,8,0.8,\n"
            "fitted,4,1,\n"
            "held out,2,0.5,\nheld out,5,0.625,\nheld out,8,1,\n"
            "staircase,2,0.5,\nstaircase,4,1,\nstaircase,5,0.56818,\nstaircase,8,0.90909,\n"
            "wave,4,,1 wave\nwave,8,,2 waves\n");
  EXPECT_EQ(text("grid_efficiency", "best_label"), "partial wave model: median error 0.0 %");
  EXPECT_EQ(text("grid_efficiency", "staircase_label"), "staircase model: median error 10.0 %");
}

TEST_F(Charts, SmsCurveShowsTheTimesBesideThoseInProportion) {
  samples::add_sm_curve(database_, "2025-06-01");
  EXPECT_EQ(columns("sms_curve", {"part", "sms", "time_us"}),
            "part,sms,time_us\n"
            "SMs,8,1.6\nSMs,32,0.4\nSMs,64,0.2\nSMs,96,0.1333\nSMs,132,0.097\n"
            "measured,8,1.6\nmeasured,32,0.4\nmeasured,64,0.2\nmeasured,96,0.199\n"
            "waves,8,1.6\nwaves,32,0.4\nwaves,64,0.2\nwaves,96,0.2\nwaves,132,0.1\n"
            "whole device,132,0.197\n");
  EXPECT_EQ(text("sms_curve", "subtitle"),
            "basic, body_force: 4,096 blocks of 1 thread, 32 an SM\nmore than 64 SMs gain less than 5 %");
}

TEST_F(Charts, TraceBlocksPutsEveryBlockIntoASlotOfItsSm) {
  samples::add_trace(database_, kTraced, samples::seven_blocks(), 2, 2);
  EXPECT_EQ(columns("trace_blocks", {"sm", "top", "bottom", "start", "end", "shade", "first"}),
            "sm,top,bottom,start,end,shade,first\n"
            "SM 1,0,1,0,1,odd,1\nSM 1,0,1,1,1.8,last,0\nSM 1,1,2,0,1.2,odd,0\n"
            "SM 0,2.4,3.4,0,1,odd,1\nSM 0,2.4,3.4,1,2.5,last,0\n"
            "SM 0,3.4,4.4,0,1.5,odd,0\nSM 0,3.4,4.4,1.5,2,last,0\n");
  EXPECT_EQ(text("trace_blocks", "subtitle"),
            "basic, body_force: 7 blocks of 32 threads, 1.75 waves of 2 SMs x 2 blocks\n"
            "All 2 SMs that had blocks, from the first to finish (top) to the last\n"
            "A bar is a block in a slot of the SM; shades alternate; orange: blocks beyond the whole waves");
  EXPECT_EQ(text("trace_blocks", "unit"), "us");
}

// Blocks of uneven length, each in the slot that is free first.
std::vector<samples::TracedBlock> scheduled(int blocks, int sms, int slots) {
  std::vector<std::vector<int>> free_at(sms, std::vector<int>(slots, 0));
  std::vector<samples::TracedBlock> trace;
  for (int block = 0; block < blocks; ++block) {
    int best_sm = 0;
    for (int sm = 1; sm < sms; ++sm)
      if (*std::min_element(free_at[sm].begin(), free_at[sm].end()) <
          *std::min_element(free_at[best_sm].begin(), free_at[best_sm].end()))
        best_sm = sm;
    const auto slot = std::min_element(free_at[best_sm].begin(), free_at[best_sm].end());
    const int end = *slot + 1000 + 37 * (block * 7919 % 23);
    trace.push_back({block, best_sm, *slot, end});
    *slot = end;
  }
  return trace;
}

TEST_F(Charts, TraceBlocksNeverOverlapInASlotAndAreAFewThousand) {
  samples::add_trace(database_, kTraced, scheduled(6000, 30, 8), 30, 8);
  const Table rows = rows_of("trace_blocks");
  const auto column = [&](const std::string& name) {
    return std::find(rows.columns.begin(), rows.columns.end(), name) - rows.columns.begin();
  };
  std::set<std::string> sms;
  std::set<std::string> shades;
  std::map<double, double> end_of;  // by the top of the slot
  for (const auto& row : rows.rows) {
    sms.insert(std::get<std::string>(row.at(column("sm"))));
    shades.insert(std::get<std::string>(row.at(column("shade"))));
    const double top = std::get<double>(row.at(column("top")));
    EXPECT_GE(std::get<double>(row.at(column("start"))), end_of[top]);
    end_of[top] = std::get<double>(row.at(column("end")));
  }
  EXPECT_EQ(shades, (std::set<std::string>{"even", "odd"}));  // 25 waves, whole
  EXPECT_EQ(end_of.size(), 8 * sms.size());
  EXPECT_GE(sms.size(), 10U);
  EXPECT_LE(sms.size(), 13U);
  EXPECT_GT(rows.rows.size(), 2000U);
  EXPECT_LE(rows.rows.size(), 2600U);
}

TEST_F(Charts, TraceBlocksMergesTheBarsOfAVeryLongTrace) {
  samples::add_trace(database_, kTraced, scheduled(6000, 2, 1), 2, 1);
  EXPECT_EQ(rows_of("trace_blocks").rows.size(), 1500U);  // of 3000 blocks on the one SM shown
  EXPECT_NE(text("trace_blocks", "subtitle").find("A bar is 2 blocks in a slot"), std::string::npos);
}

TEST_F(Charts, TraceConcurrencyCountsTheBlocksThatRun) {
  samples::add_trace(database_, kTraced, samples::seven_blocks(), 2, 2);
  EXPECT_EQ(columns("trace_concurrency", {"time", "blocks", "slots", "last_start", "side"}),
            "time,blocks,slots,last_start,side\n"
            "0,4,4,1.5,left\n1,4,4,1.5,left\n1.2,3,4,1.5,left\n1.5,3,4,1.5,left\n1.8,2,4,1.5,left\n"
            "2,1,4,1.5,left\n2.5,0,4,1.5,left\n");
  EXPECT_EQ(text("trace_concurrency", "subtitle"),
            "basic, body_force: 7 blocks of 32 threads, 1.75 waves; 75 % of the slot time is used");
}

TEST_F(Charts, TraceConcurrencyKeepsAtMostThreeChangesAPoint) {
  samples::add_trace(database_, kTraced, scheduled(6000, 30, 8), 30, 8);
  const Table rows = rows_of("trace_concurrency");
  EXPECT_LE(rows.rows.size(), 3U * 641U);
  EXPECT_GT(rows.rows.size(), 600U);
  const auto time = std::find(rows.columns.begin(), rows.columns.end(), "time") - rows.columns.begin();
  for (std::size_t i = 1; i < rows.rows.size(); ++i)  // no two at one place, which a picture would add up
    EXPECT_LT(std::get<double>(rows.rows[i - 1].at(time)), std::get<double>(rows.rows[i].at(time)));
}

TEST_F(Charts, WarpEfficiencyIsOfEachKernelOfTheFastestConfiguration) {
  const auto run_of = [](const std::string& variant, double threads, double instructions, double time_ns,
                         const std::string& kernel, std::int64_t block_size) {
    std::map<std::string, double> values{{"smsp__inst_executed.sum", instructions}};
    for (const char* kind : {"fp32", "fp64", "fp16", "integer", "bit", "conversion", "control", "memory",
                             "inter_thread_communication", "uniform", "misc"})
      values.emplace("smsp__sass_thread_inst_executed_op_" + std::string(kind) + "_pred_on.sum", 0);
    values["smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"] = threads * instructions;
    CounterRun run = samples::counted(variant, {{"BLOCK_SIZE", block_size}}, values, kernel);
    run.time_ns = time_ns;
    return run;
  };
  const auto add = [this](const CounterRun& run) {
    samples::add_counted(database_, run, "2025-06-01T10:00:00Z");
  };
  CounterRun two_shapes = run_of("basic", 32, 1e6, 9000, "body_force", 128);
  two_shapes.launches.push_back(run_of("basic", 16, 3e6, 9000, "body_force", 128).launches.front());
  two_shapes.launches.back().grid.x = 7;
  two_shapes.launches.back().position = 1;
  add(two_shapes);
  add(run_of("basic", 8, 4e6, 20000, "only_in_the_slower", 32));
  add(run_of("shared", 24, 1e6, 5000, "body_force", 128));
  EXPECT_EQ(
      columns("warp_efficiency", {"label", "efficiency", "threads"}, "variants"),
      "label,efficiency,threads\n\"shared, body_force (128)\",75,24\n\"basic, body_force (128)\",62.5,20\n");
  EXPECT_EQ(rows_of("warp_efficiency", "block_stride").rows.size(), 0U);
  EXPECT_EQ(names("nbody/variants"), (std::vector<std::string>{"cuda warp_efficiency"}));
}

TEST_F(Charts, TimelineHasALaneForEachStream) {
  samples::store_timeline(database_, samples::sample_timeline("basic", {{"BLOCK_SIZE", 32}}),
                          "2025-06-01T10:00:00Z", "basic_block_size");
  EXPECT_EQ(columns("timeline", {"lane", "name", "begin", "end", "bytes", "unit"}),
            "lane,name,begin,end,bytes,unit\nstream 0,body_force,0,400,,ns\n"
            "stream 0,device to host,750,1000,4096,ns\nstream 1,body_force,300,600,,ns\n");
  EXPECT_EQ(text("timeline", "subtitle"),
            "basic: 3 records in 2 streams; nothing ran for 15 % of the time, two or more for 10 %\n"
            "1000 ns from the first begin to the last end");
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("nbody/basic_block_size"), (Names{"cuda block_size", "cuda timeline"}));
  samples::store_timeline(database_, samples::sample_timeline("shared"), "2025-06-01T10:00:00Z", "watched");
  EXPECT_EQ(names("nbody/watched"), (Names{"cuda timeline"})) << "and nothing else";
  EXPECT_EQ(rows_of("timeline", "variants").rows.size(), 3U) << "which has the configuration, too";
  EXPECT_EQ(rows_of("timeline", "block_stride").rows.size(), 0U);
}

TEST_F(Charts, TimelineNamesTheGpusOfSeveralAndShowsSoManyRecords) {
  Timeline timeline = samples::sample_timeline("basic", {{"BLOCK_SIZE", 32}});
  while (timeline.records.size() < 700) {
    timeline.records.push_back(timeline.records.back());
    ++timeline.records.back().number;
    timeline.records.back().gpu = 1;
  }
  timeline.remark = "streams are numbered as they appear";
  samples::store_timeline(database_, timeline, "2025-06-01T10:00:00Z", "basic_block_size");
  EXPECT_EQ(rows_of("timeline").rows.size(), 600U);
  EXPECT_EQ(text("timeline", "lane"), "GPU 0, stream 0");
  EXPECT_TRUE(text("timeline", "subtitle")
                  .ends_with("; the first 600 records are shown; streams are numbered as they appear"));
}

TEST_F(Charts, OfATraceShowTheLatest) {
  samples::add_trace(database_, kTraced, samples::seven_blocks(), 2, 2, "2025-06-02T10:00:00Z");
  samples::add_trace(database_, kTraced, {{0, 0, 0, 500}}, 2, 2, "2025-06-01T10:00:00Z");
  EXPECT_EQ(rows_of("trace_blocks").rows.size(), 7U);
}

}  // namespace
}  // namespace tailwave
