#include "report/queries.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "report/fixture.h"
#include "store/sample_counters.h"
#include "store/sample_timelines.h"

namespace tailwave {
namespace {

class Queries : public samples::Fixture {
 protected:
  // Runs a named query and compares with the CSV file of that name.
  void check(const std::string& query, const Values& parameters, const std::string& file) {
    const Table table = run_query(database_, find_query(query), parameters);
    samples::expect_file(samples::csv(table), file);
  }
};

const Values kBlockSize{{"experiment", std::string("nbody/basic_block_size")}};
const Values kVariants{{"experiment", std::string("variants")}};

TEST_F(Queries, BestAnswersAsExpected) {
  check("best", {}, "best.csv");
}
TEST_F(Queries, BestWithALimitAndADeviceAnswersAsExpected) {
  check("best", {{"limit", 2}, {"device", std::string("cuda")}, {"system", std::string("nbody")}},
        "best_two.csv");
}
TEST_F(Queries, SuggestTheExperimentOrSystemThatWasMeant) {
  const auto error = [&](const Values& parameters) {
    return samples::error_of([&] { require_known_names(database_, parameters); });
  };
  const std::string file = (folder_ / "results.db").string();
  const auto text = [](const char* name) { return Value{std::string(name)}; };
  EXPECT_EQ(error({{"experiment", text("varaints")}}),
            file + ": nothing of experiment 'varaints'\n  did you mean 'variants'?");
  EXPECT_EQ(error({{"experiment", text("nbdy/variants")}}),
            file + ": nothing of experiment 'nbdy/variants'\n  did you mean 'nbody/variants'?");
  EXPECT_EQ(error({{"system", text("jakobi")}, {"experiment", text("block_size")}}),
            file + ": nothing of system 'jakobi'\n  did you mean 'jacobi'?");
  EXPECT_EQ(error({{"experiment", text("zebra")}}),
            file +
                ": nothing of experiment 'zebra'\n  there are: jacobi/block_size, nbody/basic_block_size, "
                "nbody/variants");
  EXPECT_EQ(error({{"experiment", text("nbody/variants")}, {"system", text("jacobi")}, {"limit", 1}}),
            "no error");
  EXPECT_EQ(error({{"system", text("zebra")}}),
            file + ": nothing of system 'zebra'\n  there are: jacobi, nbody");
  EXPECT_EQ(error({{"configuration", text("BLOCK_SIZE:256")}}), "no error");
  EXPECT_EQ(
      error({{"configuration",
              text("nbody/shared/BLOCK_SIZE:127/BLOCK_STRIDE:32/FAST_MATH:true/DT:0.01/N:4096")}}),
      file +
          ": nothing of configuration 'nbody/shared/BLOCK_SIZE:127/BLOCK_STRIDE:32/FAST_MATH:true/DT:0.01/N:4096'\n"
          "  did you mean 'nbody/shared/BLOCK_SIZE:128/BLOCK_STRIDE:32/FAST_MATH:true/DT:0.01/N:4096'?");
  EXPECT_EQ(error({{"search", 7}}),
            file + ": nothing of search '7'\n  'tailwave query runs' shows what the database has");
  EXPECT_THAT(samples::error_of([&] {
                run_query(database_, find_query("claims"), {{"claim", text("nbody_best_stride_23")}});
              }),
              testing::StartsWith("there is no claim 'nbody_best_stride_23'\n  did you mean 'nbody_best_"));
}

// Of 20 samples, in five repetitions.
Trial repeated(Trial trial) {
  for (std::size_t i = 0; i < trial.samples.size(); ++i) {
    trial.samples[i].repetition = static_cast<int>(i / 4);
    trial.samples[i].position = static_cast<int>(i % 4);
  }
  return trial;
}

// An experiment of 20 samples each, whose four configurations take 100, 100.5, 101.5 and 120 us with a noise of
// 0.1 %, and one more problem size.
void add_close_run(Database& database) {
  ResultStore store(database);
  RunRecord record = samples::run("close", "2025-01-05T10:00:00Z");
  const std::int64_t run = store.begin_run(record, samples::gpu());
  int size = 1;
  for (const double time : {100500.0, 100000.0, 101500.0, 120000.0, 400000.0}) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(time * (1 + 1e-4 * (i * 7 % 20 - 10)));
    Trial trial = repeated(samples::trial("basic", {{"BLOCK_SIZE", size *= 2}}, times));
    if (time > 200000) trial.configuration.problem["N"] = 8192;
    store.add_trial(run, samples::gpu(), trial);
  }
}

TEST_F(Queries, BestNamesAllThatAreTiedWithTheBest) {
  add_close_run(database_);
  check("best", {{"experiment", std::string("close")}}, "best_tied.csv");
}
std::string verdicts(Database& database, const Values& parameters) {
  const Table table = run_query(database, find_query("best"), parameters);
  std::string text;
  for (const auto& row : table.rows)
    text += fmt::format("{} {}, ", std::get<std::string>(row.at(6)), std::get<std::string>(row.at(14)));
  return text;
}

TEST_F(Queries, BestHoldsHostVariantsForTheReferenceOfKernels) {
  ResultStore store(database_);
  samples::add_run_beside_host(store);
  const Values wanted{{"experiment", std::string("beside_host")}};
  EXPECT_EQ(verdicts(database_, wanted),
            "nbody/basic/BLOCK_SIZE:64/DT:0.01/N:4096 best, nbody/cpu/DT:0.01/N:4096 reference, ");
  const Table table = run_query(database_, find_query("best"), wanted);
  EXPECT_EQ(table.rows.at(0).at(4), Cell{std::int64_t{1}});
  EXPECT_EQ(table.rows.at(1).at(4), Cell{});
}
TEST_F(Queries, BestRanksHostVariantsWhereThereIsNothingElse) {
  ResultStore store(database_);
  samples::add_run_beside_host(store, false);
  EXPECT_EQ(verdicts(database_, {{"experiment", std::string("beside_host")}}),
            "nbody/cpu/DT:0.01/N:4096 best, ");
}
TEST_F(Queries, SpacesHaveHostVariantsWhereThereIsNothingElse) {
  ResultStore store(database_);
  const char* const query =
      "SELECT group_concat(variant) AS v FROM (SELECT variant FROM space_cost "
      "WHERE experiment = 'beside_host' ORDER BY variant)";
  samples::add_run_beside_host(store, false);
  EXPECT_EQ(samples::csv(database_, query), "v\n\"cpu,cpu_fp64\"\n");
  samples::add_run_beside_host(store);
  EXPECT_EQ(samples::csv(database_, query), "v\n\"basic,basic\"\n");
}
TEST_F(Queries, BestIsUnclearWhereSamplesAreTooFewHoweverFarApart) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("few", "2025-01-05T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1e3, 1e3, 7e5}));
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 64}}, {6.36e5, 6.5e5, 7e5}));
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 96}}, {9e5, 9e5, 9e5}));
  const Values wanted{{"experiment", std::string("few")}, {"limit", 3}};
  EXPECT_EQ(
      verdicts(database_, wanted),
      "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096 best, nbody/basic/BLOCK_SIZE:64/DT:0.01/N:4096 unclear, "
      "nbody/basic/BLOCK_SIZE:96/DT:0.01/N:4096 unclear, ");
}
TEST_F(Queries, BestTakesAMargin) {
  add_close_run(database_);
  const auto rows = [&](double margin) {
    return run_query(database_, find_query("best"),
                     {{"experiment", std::string("close")}, {"margin", margin}})
        .rows.size();
  };
  EXPECT_EQ(rows(0), 1U + 1);
  EXPECT_EQ(rows(0.01), 2U + 1);
  EXPECT_EQ(rows(0.03), 3U + 1);
  EXPECT_EQ(samples::error_of([&] { rows(-1); }),
            "query: the margin must be 0 or more\n  while it ran on the rows of " +
                (folder_ / "results.db").string());
}

// 20 samples around `time_ns`, with a noise of 0.1 %, and the launches of a schedule: `blocks` that add pulls, and more
// warps than these that move the bodies.
Trial scheduled(const Values& parameters, int n, double time_ns, std::int64_t blocks, const Waves& waves) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) times.push_back(time_ns * (1 + 1e-4 * (i * 7 % 20 - 10)));
  Trial trial = samples::with_launch(repeated(samples::trial("scheduled", parameters, times)), blocks, 64, 4,
                                     "shared_memory", 0.125, waves);
  trial.launches.push_back(samples::launch("move", n / 128, 128, 16, "warps", 1, {}));
  trial.launches.back().position = 1;
  trial.configuration.problem["N"] = n;
  return trial;
}

// 554 and 528 tiles where 528 blocks fit at once, and a problem that has no plain schedule.
void add_cures_run(Database& database) {
  ResultStore store(database);
  const std::int64_t run = store.begin_run(samples::run("cures", "2025-01-06T10:00:00Z"), samples::gpu());
  const auto schedule = [](const char* name, int blocks, int stride) {
    return Values{{"SCHEDULE", std::string(name)}, {"BLOCKS", blocks}, {"BLOCK_STRIDE", stride}};
  };
  const Waves above{1.05, 1, 0.05, 0.525, 132};
  const Waves full{1, 1, 0, 1, 132};
  for (const Trial& trial :
       {scheduled(schedule("plain", 528, 1), 35456, 1e6, 554, above),
        scheduled(schedule("plain", 528, 4), 35456, 7.5e5, 2216, {4.2, 4, 0.2, 0.84, 132}),
        scheduled(schedule("grid_stride", 132, 1), 35456, 1.6e6, 132, {0.25, 0, 0.25, 0.25, 132}),
        scheduled(schedule("grid_stride", 528, 1), 35456, 1.004e6, 528, full),
        scheduled(schedule("stealing", 528, 1), 33792, 5.1e5, 528, full),
        scheduled(schedule("plain", 528, 1), 33792, 5e5, 528, full),
        scheduled(schedule("stealing", 528, 1), 8192, 1e5, 128, {0.24, 0, 0.24, 0.24, 128})})
    store.add_trial(run, samples::gpu(), trial);
}

TEST_F(Queries, CuresCompareEachScheduleWithThePlainOneOfItsProblem) {
  add_cures_run(database_);
  check("cures", {}, "cures.csv");
}
TEST_F(Queries, CuresOfOneBlockSizeAreNotComparedWithThoseOfAnother) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("cures", "2025-01-06T10:00:00Z"), samples::gpu());
  for (const int size : {64, 128})
    for (const char* schedule : {"plain", "stealing"})
      store.add_trial(run, samples::gpu(),
                      samples::trial("scheduled", {{"SCHEDULE", std::string(schedule)}, {"BLOCK_SIZE", size}},
                                     std::vector<double>(6, size * (*schedule == 'p' ? 100.0 : 75.0))));
  check("cures", {}, "cures_by_block_size.csv");
}
TEST_F(Queries, CuresTakeAMargin) {
  add_cures_run(database_);
  const auto verdicts = [&](double margin) {
    const Table table = run_query(database_, find_query("cures"), {{"margin", margin}});
    std::string text;
    for (const auto& row : table.rows) text += std::get<std::string>(row.at(row.size() - 2)) + " ";
    return text;
  };
  EXPECT_EQ(verdicts(0), "plain slower plain faster slower slower ");
  EXPECT_EQ(verdicts(0.01), "plain slower plain faster slower tied ");
  EXPECT_EQ(verdicts(0.03), "plain tied plain faster slower tied ");
}

// Another tuner's objective need not be a statistic of the samples that it wrote beside it, and may have none.
TEST_F(Queries, BestAndWorstGoByTheObjectiveThatAnotherTunerRecorded) {
  ResultStore store(database_);
  DeviceDescription device = samples::gpu();
  device.kind = DeviceKind::recorded;
  RunRecord record = samples::run("recorded", "2025-01-05T10:00:00Z");
  record.metric = "time";
  record.maximise = false;
  const std::int64_t run = store.begin_run(record, device);
  const auto add = [&](int size, const std::vector<double>& times, double objective_ms) {
    Trial trial = samples::trial("recorded", {{"BLOCK_SIZE", size}}, times);
    trial.timer = "";
    const std::int64_t id = store.add_trial(run, device, trial);
    database_.execute(
        fmt::format("INSERT INTO measurement VALUES ({}, 'time', {}, 'ms', 1)", id, objective_ms));
  };
  add(32, {1000, 1001, 1002}, 9);
  add(64, {5000, 5001, 5002}, 2);
  add(128, {}, 2.01);
  add(256, {900, 901, 902}, 4);
  const auto rows = [&](const std::string& query, const Values& parameters) {
    std::string text;
    for (const auto& row : run_query(database_, find_query(query), parameters).rows)
      text += fmt::format("{} {:.6g}; ", std::get<std::string>(row.at(6)), std::get<double>(row.at(8)));
    return text;
  };
  const Value experiment = std::string("recorded");
  EXPECT_EQ(rows("best", {{"experiment", experiment}}),
            "nbody/recorded/BLOCK_SIZE:64/DT:0.01/N:4096 0.002; nbody/recorded/BLOCK_SIZE:128/DT:0.01/N:4096 "
            "0.00201; ");
  EXPECT_EQ(rows("best", {{"experiment", experiment}, {"limit", 1}}),
            "nbody/recorded/BLOCK_SIZE:64/DT:0.01/N:4096 0.002; ");
  EXPECT_EQ(rows("worst", {{"experiment", experiment}}),
            "nbody/recorded/BLOCK_SIZE:32/DT:0.01/N:4096 0.009; ");
}

TEST_F(Queries, WorstAnswersAsExpected) {
  check("worst", {}, "worst.csv");
}
TEST_F(Queries, ByParameterAnswersAsExpected) {
  check("by_parameter", {}, "by_parameter.csv");
}
TEST_F(Queries, FailuresAnswersAsExpected) {
  check("failures", {}, "failures.csv");
}
TEST_F(Queries, WavesAnswersAsExpected) {
  check("waves", kBlockSize, "waves.csv");
}
TEST_F(Queries, SpeedupAnswersAsExpected) {
  check("speedup", {}, "speedup.csv");
}
TEST_F(Queries, SpeedupOverANamedVariantAnswersAsExpected) {
  Values parameters = kVariants;
  parameters["baseline"] = std::string("cpu");
  check("speedup", parameters, "speedup_over_cpu.csv");
}
TEST_F(Queries, SpeedupHasTheBaselineOfTheAnswers) {
  ResultStore store(database_);
  RunRecord record = samples::run("sizes", "2025-06-01T10:00:00Z");
  record.defaults = R"({"basic": {"BLOCK_SIZE": 64}})";
  const std::int64_t run = store.begin_run(record, samples::gpu());
  for (const int size : {32, 64, 128})
    store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", size}}, {6400.0 / size}));
  const Table table = run_query(database_, find_query("speedup"), {{"experiment", std::string("sizes")}});
  Table shown{{"configuration", "speedup", "step", "is"}, {}};
  for (const auto& row : table.rows) shown.rows.push_back({row.at(4), row.at(7), row.at(8), row.at(10)});
  EXPECT_EQ(samples::csv(shown),
            "configuration,speedup,step,is\n"
            "nbody/basic/BLOCK_SIZE:128/DT:0.01/N:4096,2,2,the manifest's defaults\n"
            "nbody/basic/BLOCK_SIZE:64/DT:0.01/N:4096,1,2,the manifest's defaults\n"
            "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096,0.5,,the manifest's defaults\n");
}
TEST_F(Queries, RunsAnswersAsExpected) {
  check("runs", {}, "runs.csv");
}
TEST_F(Queries, PublishedAnswersAsExpected) {
  check("published", {}, "published.csv");
}
TEST_F(Queries, SpaceAnswersAsExpected) {
  check("space", {}, "space.csv");
}
TEST_F(Queries, OccupancyAnswersAsExpected) {
  check("occupancy", {}, "occupancy.csv");
}

// Two self-tests of a GPU, of which the second one counts, and one of a CPU.
TEST_F(Queries, SelftestAnswersAsExpected) {
  ResultStore store(database_);
  store.add_selftest(
      samples::cpu(), "2025-03-01T10:00:00Z",
      {{.name = "clock_step", .quantity = "highest change", .unit = "%", .detail = "no clock"}});
  for (const bool passed : {false, true}) {
    store.add_selftest(samples::gpu(), passed ? "2025-03-02T10:00:00Z" : "2025-03-01T10:00:00Z",
                       {{.name = "cache_flush",
                         .quantity = "cold over hot",
                         .unit = "ratio",
                         .expectation = "above 1.2",
                         .value = passed ? 1.5 : 1.1,
                         .passed = passed}});
  }
  check("selftest", {}, "selftest.csv");
}

// Counters of the two kernels of nbody/variants.
class CounterQueries : public Queries {
 protected:
  CounterQueries() {
    samples::add_counted(database_,
                         samples::counted("basic", {{"BLOCK_SIZE", 32}}, samples::counted_values()),
                         "2025-05-01T10:00:00Z");
    auto values = samples::counted_values();
    values["lts__t_bytes.sum"] = 9e7;  // more than L2 can
    values["smsp__warps_issue_stalled_wait.sum"] = 0;
    samples::add_counted(
        database_,
        samples::counted("shared", {{"BLOCK_SIZE", 128}, {"BLOCK_STRIDE", 32}, {"FAST_MATH", true}}, values,
                         "shared_force"),
        "2025-05-01T11:00:00Z");
  }
};

TEST_F(CounterQueries, CountersAnswersAsExpected) {
  check("counters", kVariants, "counters.csv");
}
TEST_F(Queries, TimelinesAnswerAsExpected) {
  const Values parameters{{"BLOCK_SIZE", 32}};
  samples::store_timeline(database_, samples::sample_timeline("basic", parameters), "2025-05-02T10:00:00Z");
  Timeline before = samples::sample_timeline("basic", parameters);
  before.records.pop_back();
  samples::store_timeline(database_, before, "2025-05-01T10:00:00Z");
  check("timeline", kVariants, "timeline.csv");
  check("timeline_shares", kVariants, "timeline_shares.csv");
  EXPECT_EQ(run_query(database_, find_query("timeline"), {{"limit", 1}}).rows.size(), 1U);
}

TEST_F(CounterQueries, SpeedOfLightAnswersAsExpected) {
  check("speed_of_light", kVariants, "speed_of_light.csv");
}
TEST_F(CounterQueries, StallsAnswersAsExpected) {
  check("stalls", {{"experiment", std::string("nbody/variants")}, {"limit", 2}}, "stalls.csv");
}
TEST_F(CounterQueries, RooflineAnswersAsExpected) {
  check("roofline", {{"device", std::string("cuda")}}, "roofline.csv");
}

TEST_F(Queries, AllHaveATitleAndRunWithoutParameters) {
  for (const NamedQuery& query : list_queries()) {
    EXPECT_FALSE(query.title.empty()) << query.name;
    EXPECT_FALSE(query.parameters.empty()) << query.name;
    EXPECT_NO_THROW(std::ignore = run_query(database_, query)) << query.name;
  }
}

TEST_F(Queries, ArePreparedOnceForSeveralExperiments) {
  for (const Values& parameters : {kBlockSize, kVariants, kBlockSize})
    std::ignore = run_query(database_, find_query("launch_changes"), parameters);
  int runs = 0;
  for (sqlite3_stmt* kept = nullptr; (kept = sqlite3_next_stmt(database_.handle(), kept)) != nullptr;) {
    if (!std::string_view(sqlite3_sql(kept)).starts_with("-- title: What changes of launches")) continue;
    runs += sqlite3_stmt_status(kept, SQLITE_STMTSTATUS_RUN, 0);
    EXPECT_EQ(sqlite3_stmt_status(kept, SQLITE_STMTSTATUS_REPREPARE, 0), 0);
  }
  EXPECT_EQ(runs, 3);
}

TEST_F(Queries, AreListedByName) {
  std::string names;
  for (const NamedQuery& query : list_queries()) names += query.name + " ";
  EXPECT_EQ(
      names,
      "advice advice_record best by_parameter claims counters cures drift energy failures foreign_record front gains gpus history importance "
      "kernel_output launch_changes leaders limits lost_time metrics model_errors occupancy over_sizes phases published regime_times regimes roofline rule_record runs "
      "search_steps searches selftest simulations sms_curve space speed_of_light speedup stalls timeline timeline_shares traces waves why worst ");
}

TEST_F(Queries, SmsCurveAnswersAsExpected) {
  samples::add_sm_curve(database_, "2025-06-01");
  check("sms_curve", {{"experiment", std::string("nbody/basic_block_size")}}, "sms_curve.csv");
  EXPECT_EQ(
      run_query(database_, find_query("sms_curve"), {{"configuration", std::string("none")}}).rows.size(),
      0U);
  samples::add_sm_curve(database_, "2025-06-02");  // of two the later one
  EXPECT_EQ(run_query(database_, find_query("sms_curve"), {}).rows.size(), 5U);
}

TEST_F(Queries, WithoutSqlRefuseWhatTheyDoNotTakeAsOthersDo) {
  std::string refused;
  for (const NamedQuery& query : list_queries()) {
    if (!query.sql.empty()) continue;
    const std::string error = samples::error_of([&] {
      run_query(database_, query, {{"nope", std::int64_t{1}}});
    });
    refused += query.name + ": " + error.substr(error.find('\n') + 1) + "\n";
  }
  EXPECT_EQ(refused,
            "advice:   it takes: experiment, system, device, configuration, least, limit, margin\n"
            "advice_record:   it takes: experiment, system, device\n"
            "claims:   it takes: system, device, claim\n"
            "foreign_record:   it takes: experiment, system, device\n"
            "front:   it takes: experiment, system, device\n"
            "gains:   it takes: experiment, system, device\n"
            "limits:   it takes: experiment, system, device\n"
            "over_sizes:   it takes: experiment, system, device, keep, goal\n"
            "regimes:   it takes: experiment, system, device, margin\n"
            "speedup:   it takes: experiment, system, device, baseline\n"
            "why:   it takes: experiment, system, device, baseline\n");
}

TEST_F(Queries, IncludeThoseOfTheProjectThatTheProgramLacks) {
  std::filesystem::create_directories(folder_ / "analysis/tables");
  std::ofstream(folder_ / "analysis/tables/mine.sql")
      << "-- title: Mine\n-- parameters: :x\nSELECT :x AS x;\n";
  std::ofstream(folder_ / "analysis/tables/best.sql") << "-- title: Another best\nSELECT 1\n";
  std::ofstream(folder_ / "analysis/tables/notes.txt") << "no query\n";
  EXPECT_EQ(list_queries(folder_ / "").size(), list_queries().size() + 1);
  const NamedQuery mine = find_query("mine", folder_ / "");
  EXPECT_EQ(mine.title, "Mine");
  EXPECT_EQ(mine.parameters, ":x");
  EXPECT_EQ(render(run_query(database_, mine, {{"x", 3}}), TableFormat::csv), "x\n3\n");
  EXPECT_NE(find_query("best", folder_ / "").title, "Another best");
}

TEST_F(Queries, WithoutRowsOfAnExperimentSayOfWhichTheyHaveSome) {
  EXPECT_EQ(why_no_rows(database_, find_query("published"), kVariants),
            "no rows: no published figure is of what was measured\n  it has rows of jacobi/block_size, "
            "nbody/basic_block_size");
}

TEST_F(Queries, SayWhichParametersTheyTake) {
  EXPECT_TRUE(takes(find_query("best"), "limit"));
  EXPECT_FALSE(takes(find_query("published"), "limit"));
  EXPECT_FALSE(takes(find_query("best"), "lim"));
}

TEST_F(Queries, AreSuggestedForAnUnknownName) {
  EXPECT_EQ(samples::error_of([] { find_query("bst"); }),
            "query: there is no query 'bst'\n  did you mean 'best'?");
  EXPECT_EQ(
      samples::error_of([] { find_query("everything"); }),
      "query: there is no query 'everything'\n  there are: advice, advice_record, best, by_parameter, "
      "claims, counters, cures, drift, energy, failures, foreign_record, front, gains, gpus, history, importance, kernel_output, launch_changes, leaders, limits, lost_time, metrics, "
      "model_errors, occupancy, over_sizes, phases, published, regime_times, regimes, roofline, rule_record, runs, search_steps, searches, "
      "selftest, simulations, sms_curve, space, speed_of_light, speedup, stalls, timeline, timeline_shares, traces, waves, why, worst");
}

}  // namespace
}  // namespace tailwave
