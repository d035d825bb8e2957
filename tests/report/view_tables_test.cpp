#include "report/view_tables.h"

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

}  // namespace
}  // namespace tailwave
