#include <gtest/gtest.h>

#include "interchange/export.h"
#include "interchange/import.h"
#include "report/fixture.h"
#include "report/queries.h"
#include "report/report.h"
#include "store/search_store.h"

namespace tailwave {
namespace {

// An experiment of five configurations, of which a search evaluates three in a time that grows with BLOCK_SIZE; the
// two best are measured again.
class Searches : public ::testing::Test {
 protected:
  std::int64_t begin(const std::string& started_at, const std::vector<Configuration>& plan = {}) {
    return store_.begin_run(samples::run("searched", started_at), samples::gpu(), plan);
  }

  static Trial trial(int size, double time_ns) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(time_ns * (1 + 1e-4 * (i * 7 % 20 - 10)));
    return samples::trial("basic", {{"BLOCK_SIZE", size}}, times);
  }

  void search() {
    const std::int64_t run = begin("2025-01-05T10:00:00Z");
    begin_search(
        database_, run,
        {.strategy = "random", .seed = 4, .budget_evaluations = 3, .space_size = 5, .configurations = 5});
    std::size_t step = 0;
    for (const auto& [size, time_ns] : {std::pair(128, 2e5), {32, 1e5}, {64, 1.01e5}}) {
      const Trial one = trial(size, time_ns);
      store_.add_trial(run, samples::gpu(), one);
      ++step;
      add_search_step(database_, run, step, one.configuration, time_ns / 16'777'216,
                      0.5 * static_cast<double>(step));
    }
    store_.finish_run(run, RunStatus::done, "2025-01-05T10:00:05Z");
    finish_search(database_, run, SearchEnd::budget);
    const std::int64_t final = begin("2025-01-05T10:00:00Z");
    store_.add_trial(final, samples::gpu(), trial(32, 1e5));
    store_.add_trial(final, samples::gpu(), trial(64, 1.005e5));
    store_.finish_run(final, RunStatus::done, "2025-01-05T10:00:09Z");
    set_final_run(database_, run, final);
  }

  // Of a configuration that no trial has.
  void add_failed_step() {
    const std::int64_t run = begin("2024-12-31T10:00:00Z");
    store_.add_trial(run, samples::gpu(),
                     samples::failed("basic", {{"BLOCK_SIZE", 2048}}, Outcome::timeout, ""));
    database_.execute("DELETE FROM trial WHERE run_id = " + std::to_string(run));
    database_.execute("INSERT INTO search_step SELECT 1, 4, max(id), NULL, 2.5 FROM configuration");
  }

  void sweep() {
    std::vector<Trial> trials;
    std::vector<Configuration> plan;
    for (const int size : {16, 32, 64, 128, 256}) trials.push_back(trial(size, 1e5));
    for (const Trial& one : trials) plan.push_back(one.configuration);
    const std::int64_t run = begin("2025-01-06T10:00:00Z", plan);
    for (const Trial& one : trials) store_.add_trial(run, samples::gpu(), one);
  }

  std::string partial() { return partial(database_); }
  static std::string partial(Database& database) {
    return samples::csv(database,
                        "SELECT experiment, run_device, measured, configurations FROM partial_study");
  }

  ImportSummary import_into(Database& target) {
    std::ofstream(folder_ / "recorded.json") << export_recorded(database_, "searched", "NVIDIA H200");
    return import_recorded(target, folder_ / "recorded.json");
  }

  std::string page() {
    render_report(database_, {.experiments = {"searched"}, .out_dir = folder_ / "report"});
    std::ifstream file(folder_ / "report/nbody/searched.md");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
};

TEST_F(Searches, AreListedWithTheBestFound) {
  search();
  samples::expect_file(samples::csv(run_query(database_, find_query("searches"), {})), "searches.csv");
}

TEST_F(Searches, AreKnownAsSuchWhereTheirTrialsAreImported) {
  search();
  Database target(folder_ / "target.db", Database::Mode::read_write);
  EXPECT_EQ(import_into(target).remark, "chosen by a search (random) from 5 configurations");
  EXPECT_EQ(import_into(target).trials_present, 3);
  EXPECT_EQ(import_into(database_).trials_present, 3) << "where it was measured";
  EXPECT_EQ(partial(target), "experiment,run_device,measured,configurations\nsearched,NVIDIA H200,3,5\n");
  EXPECT_EQ(partial(target), partial());
  EXPECT_EQ(samples::csv(target, "SELECT count(*) AS n FROM gpu_trial"), "n\n0\n");
  EXPECT_EQ(samples::csv(target,
                         "SELECT strategy, seed, budget_evaluations, stopped_by, "
                         "(SELECT count(*) FROM trial WHERE run_id = final_run_id) AS leaders FROM search"),
            "strategy,seed,budget_evaluations,stopped_by,leaders\nrandom,4,3,budget,2\n");
  EXPECT_EQ(export_recorded(target, "searched", "NVIDIA H200"),
            export_recorded(database_, "searched", "NVIDIA H200"));
}

// Nothing of the search's own run is left to record where all that it chose was measured again.
TEST_F(Searches, AreKnownWhereOnlyTheirLeadersWereRecorded) {
  search();
  database_.execute("DELETE FROM trial WHERE run_id = 1");
  Database target(folder_ / "target.db", Database::Mode::read_write);
  EXPECT_EQ(import_into(target).remark, "chosen by a search (random) from 5 configurations");
  EXPECT_EQ(partial(target), "experiment,run_device,measured,configurations\nsearched,NVIDIA H200,2,5\n");
  EXPECT_EQ(export_recorded(target, "searched", "NVIDIA H200"),
            export_recorded(database_, "searched", "NVIDIA H200"));
}

TEST_F(Searches, AreCarriedStepByStep) {
  search();
  add_failed_step();
  Database target(folder_ / "target.db", Database::Mode::read_write);
  import_into(target);
  for (const std::string query : {"searches", "search_steps"})
    EXPECT_EQ(samples::csv(run_query(target, find_query(query), {})),
              samples::csv(run_query(database_, find_query(query), {})));
  import_into(target);
  EXPECT_EQ(samples::csv(target, "SELECT count(*) AS n FROM search_step"), "n\n4\n");
  EXPECT_EQ(samples::csv(target, "SELECT count(*) AS n FROM run_plan"), "n\n0\n");
}

TEST_F(Searches, GoOnWhereALaterRecordingHasMoreSteps) {
  search();
  database_.execute("UPDATE search SET stopped_by = NULL");
  database_.execute("UPDATE run SET status = 'running', finished_at = NULL WHERE id = 1");
  Database target(folder_ / "target.db", Database::Mode::read_write);
  import_into(target);
  add_failed_step();
  finish_search(database_, 1, SearchEnd::interrupt);
  import_into(target);
  EXPECT_EQ(
      samples::csv(target, "SELECT count(*) AS n, stopped_by FROM search_step JOIN search USING (run_id)"),
      "n,stopped_by\n4,interrupt\n");
  EXPECT_EQ(import_into(database_).trials_added, 0);
  EXPECT_EQ(samples::csv(database_, "SELECT count(*) AS n FROM search_step"), "n\n4\n");
}

// As older versions recorded them.
TEST_F(Searches, ImportedWithoutStepsHaveNoNumberOfEvaluations) {
  search();
  database_.execute("DELETE FROM search_step");
  Database target(folder_ / "target.db", Database::Mode::read_write);
  import_into(target);
  const Table searches = run_query(target, find_query("searches"), {});
  ASSERT_EQ(searches.rows.size(), 1U);
  const auto column = std::find(searches.columns.begin(), searches.columns.end(), "evaluations");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      searches.rows[0].at(static_cast<std::size_t>(column - searches.columns.begin()))));
}

TEST_F(Searches, HaveTheirLeadersCompared) {
  search();
  samples::expect_file(samples::csv(run_query(database_, find_query("leaders"), {{"search", 1}})),
                       "leaders.csv");
  EXPECT_TRUE(run_query(database_, find_query("leaders"), {{"search", 2}}).rows.empty());
}

TEST_F(Searches, ConvergeStepByStep) {
  search();
  samples::expect_file(samples::csv(run_query(database_, find_query("search_steps"), {})),
                       "search_steps.csv");
}

TEST_F(Searches, AreNoSweepUntilEverythingIsMeasured) {
  EXPECT_EQ(partial(), "experiment,run_device,measured,configurations\n");
  search();
  EXPECT_EQ(partial(), "experiment,run_device,measured,configurations\nsearched,NVIDIA H200,3,5\n");
  EXPECT_EQ(samples::csv(database_, "SELECT count(*) AS n FROM gpu_trial"), "n\n0\n");
  sweep();
  EXPECT_EQ(partial(), "experiment,run_device,measured,configurations\n");
  EXPECT_EQ(samples::csv(database_, "SELECT count(*) AS n FROM gpu_trial"), "n\n5\n");
}

TEST_F(Searches, AreCalledSearchesByReports) {
  search();
  const std::string text = page();
  EXPECT_NE(
      text.find(
          "A search chose these from 5 configurations: one that it did not try may be faster, and slow ones "
          "have few samples."),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("3 of 3 configurations correct, chosen by a search from 5"), std::string::npos) << text;
  sweep();
  EXPECT_EQ(page().find("chose"), std::string::npos);
}

}  // namespace
}  // namespace tailwave
