#include "report/view_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/fixture.h"

namespace tailwave {
namespace {

using ViewTablesTest = samples::Fixture;

TEST_F(ViewTablesTest, GiveTheSameRowsAndGoWithTheirObject) {
  const std::string sql =
      "SELECT (SELECT count(*) FROM current_trial), (SELECT count(*) FROM ranked_trial), (SELECT sum(speedup) FROM speedup), "
      "(SELECT group_concat(name) FROM temp.sqlite_master WHERE type = 'table' AND name = 'current_trial')";
  const Table before = database_.query(sql);
  {
    const ViewTables tables(database_);
    Table during = database_.query(sql);
    EXPECT_EQ(during.rows[0][3], Cell{std::string("current_trial")});
    during.rows[0][3] = {};
    EXPECT_EQ(during.rows, before.rows);
    ResultStore store(database_);
    const std::int64_t run = store.begin_run(samples::run("later", "2025-06-01T10:00:00Z"), samples::gpu());
    store.add_trial(run, samples::gpu(), samples::trial("basic", {}, {1e5}));
    during = database_.query(sql);
    EXPECT_EQ(during.rows[0][0], before.rows[0][0]) << "what is written meanwhile is not seen";
  }
  EXPECT_NE(database_.query(sql).rows[0][0], before.rows[0][0]);
}

TEST_F(ViewTablesTest, ReadWhatIsLaidOverTheViewsOfAnotherProgramAndPutItBack) {
  database_.execute("DROP VIEW main.speedup; CREATE VIEW main.speedup AS SELECT 1 AS of_another");
  Database other(folder_ / "results.db", Database::Mode::read_only);
  const char* const sql = "SELECT count(speedup) FROM speedup";
  const Table before = other.query(sql);
  {
    const ViewTables tables(other);
    EXPECT_EQ(other.query(sql).rows, before.rows);
  }
  EXPECT_EQ(other.query(sql).rows, before.rows);
}

TEST_F(ViewTablesTest, CanBeMadeOfADatabaseThatIsOnlyRead) {
  Database other(folder_ / "results.db", Database::Mode::read_only);
  const ViewTables tables(other);
  EXPECT_EQ(other.query("SELECT count(*) FROM current_trial").rows,
            database_.query("SELECT count(*) FROM current_trial").rows);
}

TEST_F(ViewTablesTest, HaveAChoiceOfTheTrialsOfAVeryLargeExperiment) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("vast", "2025-06-01T10:00:00Z"), samples::gpu());
  database_.execute(fmt::format(R"(
    CREATE TEMP TABLE number AS WITH RECURSIVE counted (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < {0})
      SELECT i, i + 100000 AS id FROM counted;
    INSERT INTO configuration SELECT id, 'vast/' || i, 'nbody', 'basic', json_object('SIZE', i), '{{"N":1}}' FROM number;
    INSERT INTO trial (id, run_id, device_id, configuration_id, key, outcome, timer, mode, stopped_by, work)
      SELECT id, {1}, (SELECT device_id FROM run WHERE id = {1}), id, 'vast ' || i, 'correct', 'cuda_event', 'isolated',
        'samples', '{{"interactions":1}}' FROM number;
    INSERT INTO sample (trial_id, repetition, position, time_ns, executions) SELECT id, 0, 0, 100000 + i, 1 FROM number;
    DROP TABLE number)",
                                kMostStudied + 1000, run));
  store.finish_run(run, RunStatus::done, "2025-06-01T11:00:00Z");
  const ViewTables tables(database_);
  const Table counted = database_.query(
      "SELECT count(*), max(place), max(of_ranked), sum(place <= 10000) FROM ranked_trial WHERE experiment = 'vast'");
  EXPECT_LE(std::get<std::int64_t>(counted.rows[0][0]), kMostStudied + 2);
  EXPECT_EQ(counted.rows[0][1], Cell{std::int64_t{kMostStudied + 1000}});
  EXPECT_EQ(counted.rows[0][2], Cell{std::int64_t{kMostStudied + 1000}});
  EXPECT_EQ(counted.rows[0][3], Cell{std::int64_t{10'000}});
}

}  // namespace
}  // namespace tailwave
