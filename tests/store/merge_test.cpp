#include "store/merge.h"

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "store/energy_store.h"
#include "store/metric_store.h"
#include "store/sample_data.h"
#include "store/search_store.h"
#include "store/simulation_store.h"
#include "store/whole_database.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;
using samples::WholeDatabase;

constexpr const char* kMorning = "2026-05-01T10:00:00Z";
constexpr const char* kNoon = "2026-05-01T12:00:00Z";

class Merge : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / (name + ".db"); }
  [[nodiscard]] Database writer(const std::string& name) const {
    return {path(name), Database::Mode::read_write};
  }
  MergedRows merge(const std::string& from, const std::string& into, const MergeOptions& options = {}) {
    Database source(path(from), Database::Mode::read_only);
    Database target = writer(into);
    return merge_database(target, source, options);
  }
  std::string dump(const std::string& name) {
    Database database = writer(name);
    return WholeDatabase(database).text();
  }
  std::string rows(const std::string& name, const std::string& sql) {
    Database database = writer(name);
    return csv(database, sql);
  }

  // A finished run of trials with BLOCK_SIZEs.
  std::int64_t add_run(const std::string& name, const std::string& started_at, const std::vector<int>& sizes,
                       const std::function<void(RunRecord&)>& change = {}) {
    Database database = writer(name);
    ResultStore store(database);
    RunRecord record = samples::run("block_size", started_at);
    if (change) change(record);
    std::vector<Configuration> plan;
    for (const int size : sizes) plan.push_back(trial(size).configuration);
    const std::int64_t run = store.begin_run(record, samples::gpu(), plan);
    for (const int size : sizes) store.add_trial(run, samples::gpu(), trial(size));
    store.finish_run(run, RunStatus::done, started_at);
    return run;
  }
  static Trial trial(int size) {
    Trial trial =
        samples::trial("basic", {{"BLOCK_SIZE", std::int64_t{size}}}, {1000.0 / size, 1010.0 / size});
    trial.build = BuildRecord{};
    trial.build->key = fmt::format("build {}", size);
    trial.build->code_hash = fmt::format("code {}", size);
    trial.launches.push_back(samples::launch("body_force", 32, size, 4, "registers", 0.5, Waves{}));
    return trial;
  }

  samples::TemporaryFolder folder_;
};

TEST_F(Merge, AddsRunsWithAllThatBelongsToThem) {
  add_run("a", kMorning, {32, 64});
  add_run("b", kNoon, {128});
  EXPECT_EQ(merge("a", "all").runs_added, 1);
  const MergedRows merged = merge("b", "all");
  EXPECT_EQ(merged.runs_added, 1);
  EXPECT_EQ(merged.trials_added, 1);
  EXPECT_EQ(
      rows(
          "all",
          "SELECT run.started_at, configuration.name, build.key, count(*) AS samples, "
          "(SELECT kernel FROM launch WHERE trial_id = trial.id) AS kernel "
          "FROM trial JOIN run ON run.id = run_id JOIN configuration ON configuration.id = configuration_id "
          "JOIN build ON build.id = build_id JOIN sample ON sample.trial_id = trial.id GROUP BY trial.id ORDER BY 2"),
      "started_at,name,key,samples,kernel\n"
      "2026-05-01T12:00:00Z,nbody/basic/BLOCK_SIZE:128/DT:0.01/N:4096,build 128,2,body_force\n"
      "2026-05-01T10:00:00Z,nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096,build 32,2,body_force\n"
      "2026-05-01T10:00:00Z,nbody/basic/BLOCK_SIZE:64/DT:0.01/N:4096,build 64,2,body_force\n");
  EXPECT_EQ(rows("all", "SELECT count(*) AS n FROM device"), "n\n1\n") << "both ran on the same";
}

TEST_F(Merge, SaysWhereARunCameFrom) {
  add_run("a", kMorning, {32});
  merge("a", "all");
  merge("all", "further");
  EXPECT_EQ(rows("all", "SELECT merged_from FROM run"), "merged_from\n" + path("a").string() + "\n");
  EXPECT_EQ(rows("further", "SELECT merged_from FROM run"), "merged_from\n" + path("a").string() + "\n");
}

TEST_F(Merge, OfTheSameASecondTimeAddsNothing) {
  add_run("a", kMorning, {32, 64});
  merge("a", "all");
  const std::string before = dump("all");
  const MergedRows again = merge("a", "all");
  EXPECT_EQ(again.runs_known, 1);
  EXPECT_EQ(again.rows_added, 0);
  EXPECT_EQ(dump("all"), before);
}

TEST_F(Merge, InAnyOrderGivesTheSame) {
  // All begin in the same second, and have a configuration in common.
  add_run("a", kMorning, {32, 64});
  add_run("b", kMorning, {64, 128});
  add_run("c", kMorning, {64, 256});
  for (const char* name : {"a", "b", "c"}) merge(name, "abc");
  for (const char* name : {"c", "a", "b", "a"}) merge(name, "cab");
  EXPECT_EQ(dump("abc"), dump("cab"));
  const std::string which =
      "SELECT configuration, run.identity FROM current_trial JOIN run ON run.id = run_id ORDER BY 1";
  EXPECT_EQ(rows("abc", which), rows("cab", which));
}

TEST_F(Merge, ExtendsARunThatWentOn) {
  const std::int64_t run = add_run("a", kMorning, {32});
  {
    Database database = writer("a");
    database.execute("UPDATE run SET status = 'running', finished_at = NULL");
  }
  merge("a", "all");
  {
    Database database = writer("a");
    ResultStore store(database);
    store.add_trial(run, samples::gpu(), trial(64));
    store.set_phases(run, {}, 3);
    store.finish_run(run, RunStatus::done, kNoon);
  }
  const MergedRows merged = merge("a", "all");
  EXPECT_EQ(merged.runs_extended, 1);
  EXPECT_EQ(merged.trials_added, 1);
  EXPECT_EQ(dump("all"), dump("a"));
  EXPECT_EQ(merge("a", "all").rows_added, 0);
}

TEST_F(Merge, NeverTakesAnEarlierStateOfARun) {
  const std::int64_t run = add_run("a", kMorning, {32});
  merge("a", "early");
  {
    Database database = writer("a");
    ResultStore store(database);
    store.add_trial(run, samples::gpu(), trial(64));
    store.finish_run(run, RunStatus::done, kNoon);
  }
  merge("a", "all");
  const std::string before = dump("all");
  merge("early", "all");
  EXPECT_EQ(dump("all"), before);
}

TEST_F(Merge, KeepsTheFinalRunThatASearchGotLater) {
  std::int64_t run = 0;
  {
    Database database = writer("a");
    ResultStore store(database);
    run = store.begin_run(samples::run("block_size", kMorning), samples::gpu());
    begin_search(database, run, {.strategy = "random", .options = {}, .space_size = 2, .configurations = 2});
    add_search_step(database, run, 1, trial(32).configuration, 1, 0.1);
    store.add_trial(run, samples::gpu(), trial(32));
    store.finish_run(run, RunStatus::done, kMorning);
  }
  merge("a", "all");
  const std::int64_t final_run = add_run("a", kNoon, {32});
  {
    Database database = writer("a");
    set_final_run(database, run, final_run);
  }
  merge("a", "all");
  EXPECT_EQ(dump("all"), dump("a"));
}

TEST_F(Merge, WhatManifestsSayIsAsOfTheLatestRun) {
  for (const auto& [name, time, kernel] :
       {std::tuple{"old", kMorning, "force"}, std::tuple{"new", kNoon, "body_force"}}) {
    add_run(name, time, {32});
    Database database = writer(name);
    ResultStore store(database);
    store.set_main_kernels("nbody", {{"basic", {kernel}}});
    store.set_domains("nbody", {{"basic", std::string("N > ") + kernel}});
    store.set_published("block_size", {{.study = kernel, .device = "A100", .quantity = "time", .unit = "s"}},
                        "nbody");
  }
  for (const char* name : {"old", "new"}) merge(name, "one");
  for (const char* name : {"new", "old"}) merge(name, "other");
  for (const char* name : {"one", "other"}) {
    EXPECT_EQ(rows(name, "SELECT kernel FROM main_kernel"), "kernel\nbody_force\n");
    EXPECT_EQ(rows(name, "SELECT requires FROM variant_domain"), "requires\nN > body_force\n");
    EXPECT_EQ(rows(name, "SELECT study FROM published_value"), "study\nbody_force\n");
  }
}

TEST_F(Merge, RefusesAnotherSpecAndSaysWhatDiffers) {
  add_run("a", kMorning, {32}, [](RunRecord& run) { run.spec_text = "{\n  \"N\": 8\n}"; });
  add_run("b", kNoon, {32}, [](RunRecord& run) { run.spec_text = "{\n  \"N\": 9\n}"; });
  merge("a", "all");
  const std::string before = dump("all");
  EXPECT_EQ(
      error_of([&] { merge("b", "all"); }),
      path("b").string() +
          ": run 1 of nbody/block_size on NVIDIA H200, 2026-05-01T12:00:00Z, is not comparable with run 1 of " +
          path("all").string() +
          ", 2026-05-01T10:00:00Z: they differ in the spec, line 2: '  \"N\": 9' and '  \"N\": 8'\n"
          "  --allow-different keeps both, and the later run then says which configurations count");
  EXPECT_EQ(dump("all"), before);
  EXPECT_EQ(merge("b", "all", {.allow_different = true}).runs_added, 1);
  EXPECT_EQ(merge("b", "all").runs_known, 1) << "nothing new, so nothing to refuse";
}

TEST_F(Merge, RefusesOtherSourcesCompilersAndVersions) {
  const auto refusal = [&](const std::string& name, const std::function<void(RunRecord&)>& change) {
    add_run("a " + name, kMorning, {32}, [](RunRecord& run) { run.system_hash = "1"; });
    add_run("b " + name, kNoon, {32}, [&](RunRecord& run) {
      run.system_hash = "1";
      change(run);
    });
    merge("a " + name, "all " + name);
    const std::string error = error_of([&] { merge("b " + name, "all " + name); });
    return error.substr(std::min(error.size(), error.find("they differ in")));
  };
  const std::string hint =
      "\n  --allow-different keeps both, and the later run then says which configurations count";
  EXPECT_EQ(refusal("sources", [](RunRecord& run) { run.system_hash = "2"; }),
            "they differ in the manifest or a source of its variants or its reference" + hint);
  EXPECT_EQ(refusal("compiler", [](RunRecord& run) { run.compiler = "NVRTC 12.4"; }),
            "they differ in the compiler, 'NVRTC 12.4' and 'NVRTC 13.0'" + hint);
  EXPECT_EQ(refusal("version", [](RunRecord& run) { run.tailwave_version = "0.2.0"; }),
            "they differ in the version of tailwave, '0.2.0' and '0.1.0'" + hint);
  EXPECT_EQ(refusal("nothing of these", [](RunRecord& run) { run.host_compiler = "clang"; }), "");
}

TEST_F(Merge, RefusesNamesThatArePaths) {
  add_run("a", kMorning, {32});
  {
    Database database = writer("a");
    database.execute("UPDATE run SET experiment = '../elsewhere'");
  }
  EXPECT_EQ(error_of([&] { merge("a", "all"); }),
            path("a").string() + ": '../elsewhere' is a path and no name of a system or experiment");
  EXPECT_EQ(rows("all", "SELECT count(*) AS n FROM run"), "n\n0\n");
}

TEST_F(Merge, RefusesADamagedDatabase) {
  add_run("a", kMorning, {32, 64});
  std::string bytes;
  {
    std::ifstream file(path("a"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  constexpr std::size_t kPage = 4096;
  for (std::size_t i = 2 * kPage; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  std::ofstream(path("damaged"), std::ios::binary) << bytes;
  EXPECT_THAT(error_of([&] {
                Database source(path("damaged"), Database::Mode::read_only);
                require_sound(source);
              }),
              testing::StartsWith(path("damaged").string() + ": "));
}

// A table that is added later has to be filled here, too: then it is known to be merged.
TEST_F(Merge, LeavesNoTableOut) {
  {
    const std::int64_t run = add_run("a", kMorning, {32});
    Database database = writer("a");
    ResultStore store(database);
    const Trial sample = trial(32);
    store.set_phases(run, {}, 1);
    store.add_drift(run, samples::gpu(), sample.configuration, 0, {sample.samples.front()});
    database.execute(fmt::format(
        "INSERT INTO gpu_factor SELECT id, device_id, 1, NULL, NULL, 1 FROM run WHERE id = {}", run));
    store.keep_unfinished(run, "another key", "program", {1, "contents"});
    store.set_main_kernels("nbody", {{"basic", {"body_force"}}});
    store.set_domains("nbody", {{"basic", "N > 1"}});
    store.set_published("block_size", {{.study = "s", .device = "A100", .quantity = "time", .unit = "s"}},
                        "nbody");
    store.add_selftest(samples::gpu(), kMorning, {Check{}});
    begin_search(database, run, {.strategy = "random", .options = {}, .space_size = 2, .configurations = 2});
    add_search_step(database, run, 1, sample.configuration, 1, 0.1);
    const std::int64_t id = *store.trial_of(run, sample.configuration);
    insert_metrics(database, id,
                   {MetricRecord{.position = 0, .name = "time", .unit = "s", .missing = "none"}});
    EnergyRecord energy;
    energy.missing = "no counter";
    insert_energy(database, id, energy);
    database.execute("INSERT INTO time_limit VALUES (1, 'dram', 1.0)");
    database.execute("INSERT INTO measurement VALUES (1, 'time', 1.0, 's', 1)");
    add_simulation(
        database,
        {.simulated_at = kMorning, .space = "s", .budget = 1, .seeds = {{}}, .steps = {{.evaluation = 1}}});
    const std::int64_t in_regimes =
        store.begin_run(samples::run("block_size", kNoon), samples::gpu(), {},
                        {RegimeRecord{.name = "cold", .cache = CacheState::cold}});
    database.execute(fmt::format("INSERT INTO regime_finalist VALUES ({}, 1, 1, 'winner')", in_regimes));
    database.execute(R"(
      INSERT INTO trace VALUES (7, 1, 1, 'nbody', 'block_size', 'ptx', 't', 'd', 'c', 'p', 1, 1.0, 1.0, NULL, NULL);
      INSERT INTO trace_launch (trace_id, position, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
        dynamic_shared_bytes, sms, blocks_per_sm, noted_one_in, duration_ns) VALUES (7, 0, 'k', 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1);
      INSERT INTO block_trace VALUES (7, 0, 0, 0, 0, 1, 1, 1.0);
      INSERT INTO grid_curve VALUES (7, 1, 1, 'nbody', 'block_size', 't', 'd', 'c', 'p', 0, 'k', 1, 1, 1, 1, NULL, NULL, NULL);
      INSERT INTO grid_sample VALUES (7, 1, 0, 1.0, 1);
      INSERT INTO grid_prediction VALUES (7, 'm', 1, 1.0);
      INSERT INTO sm_curve VALUES (7, 1, 1, 'nbody', 'block_size', 't', 'd', 'c', 'p', 0, 'k', 1, 1, 1, NULL);
      INSERT INTO sm_sample VALUES (7, 0, 1, 0, 1.0, NULL);
      INSERT INTO counter_run (id, device_id, configuration_id, system, experiment, method, metric_set, counted_at, driver,
        compiler, project_commit, ends_on_value) VALUES (7, 1, 1, 'nbody', 'block_size', 'ncu', 'imported', 't', 'd', 'c', 'p', 0);
      INSERT INTO counted_launch VALUES (7, 0, 'k', 1, 1, 1, 1, 1, 1, 0, 1);
      INSERT INTO counter_value VALUES (7, 0, 'm', 1.0, 'u', NULL);
      INSERT INTO timeline (id, device_id, configuration_id, system, experiment, observed_at, driver, compiler,
        project_commit, time_ns, executions, found) VALUES (7, 1, 1, 'nbody', 'block_size', 't', 'd', 'c', 'p', 1.0, 1, 1);
      INSERT INTO timeline_record VALUES (7, 0, 'kernel', 'k', 0, 0, 0, 0, 1, NULL);)");
  }
  // So that ids differ.
  add_run("all", kMorning, {64, 128});
  merge("a", "all");
  merge("a", "all");
  Database source = writer("a");
  const WholeDatabase whole(source);
  for (const TableShape& table : whole.tables()) EXPECT_GT(whole.rows_of(table.name), 0U) << table.name;
  merge("all", "copy");
  EXPECT_EQ(dump("copy"), dump("all"));
  merge("a", "alone");
  EXPECT_EQ(dump("alone"), whole.text());
  Database all = writer("all");
  for (const TableShape& table : whole.tables())
    EXPECT_GE(WholeDatabase(all).rows_of(table.name), whole.rows_of(table.name)) << table.name;
}

}  // namespace
}  // namespace tailwave
