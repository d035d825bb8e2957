// Database::query: what a person may ask, and what is said when it cannot be done.
#include <gtest/gtest.h>

#include "core/error.h"
#include "store/database.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::TemporaryFolder;

class Query : public ::testing::Test {
 protected:
  std::string error(const std::string& sql, const Values& parameters = {}) {
    try {
      std::ignore = database_.query(sql, parameters);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), Error::kBadUsage);
      return error.what();
    }
    return "no error";
  }

  static std::string refused(const std::string& what) {
    return "query: queries may only read; this asks for " + what +
           "\n  use the sqlite3 program to change a database";
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(Query, TakesNamedParametersWithOrWithoutColonAndNullForTheRest) {
  EXPECT_EQ(csv(database_, "SELECT :a AS a, :b AS b, :c AS c", {{"a", 1}, {":b", std::string("x")}}),
            "a,b,c\n1,x,\n");
}

TEST_F(Query, RefusesToWrite) {
  EXPECT_EQ(error("INSERT INTO device (kind) VALUES ('cpu')"), refused("INSERT into device"));
  EXPECT_EQ(error("UPDATE run SET status = 'done'"), refused("UPDATE of run"));
  EXPECT_EQ(error("DELETE FROM trial"), refused("DELETE from trial"));
  EXPECT_EQ(error("WITH x AS (SELECT 1) DELETE FROM trial RETURNING id"), refused("DELETE from trial"));
  EXPECT_EQ(error("UPDATE sqlite_master SET sql = ''"), "query: table sqlite_master may not be modified");
  EXPECT_EQ(error("DROP TABLE trial"), refused("changes of the schema"));
  EXPECT_EQ(error("CREATE TABLE t (x)"), refused("changes of the schema"));
  EXPECT_EQ(error("CREATE TEMP TABLE t (x)"), refused("changes of the schema"));
  EXPECT_EQ(error("REINDEX"), refused("changes of the schema"));
}

TEST_F(Query, RefusesToReachOutsideTheDatabase) {
  const auto other = folder_ / "other.db";
  EXPECT_EQ(error("ATTACH '" + other.string() + "' AS other"), refused("ATTACH"));
  EXPECT_EQ(error("VACUUM INTO '" + other.string() + "'"), refused("writing"));
  EXPECT_EQ(error("SELECT load_extension('evil')"), refused("load_extension()"));
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(Query, RefusesPragmasThatSetAndTransactions) {
  EXPECT_EQ(error("PRAGMA user_version = 3"), refused("PRAGMA user_version"));
  EXPECT_EQ(error("PRAGMA journal_mode = DELETE"), refused("PRAGMA journal_mode"));
  EXPECT_EQ(error("PRAGMA writable_schema = 1"), refused("PRAGMA writable_schema"));
  EXPECT_EQ(error("BEGIN"), refused("transactions"));
  EXPECT_EQ(csv(database_, "PRAGMA integrity_check"), "integrity_check\nok\n");
}

TEST_F(Query, LeavesTheConnectionAbleToWrite) {
  EXPECT_NE(error("DELETE FROM trial"), "no error");
  EXPECT_NO_THROW(database_.execute("DELETE FROM trial"));
}

TEST_F(Query, SuggestsTheColumnThatWasMeant) {
  EXPECT_EQ(error("SELECT id,\n  outcme FROM trial"),
            "query: no such column: outcme\n"
            "    outcme FROM trial\n"
            "    ^ did you mean 'outcome'? ('tailwave list queries' names the ready-made queries)");
  EXPECT_EQ(error("SELECT trial.detial FROM trial"),
            "query: no such column: trial.detial\n"
            "  SELECT trial.detial FROM trial\n"
            "         ^ did you mean 'detail'? ('tailwave list queries' names the ready-made queries)");
}

TEST_F(Query, SuggestsTheTableThatWasMeant) {
  EXPECT_EQ(error("SELECT * FROM triall"),
            "query: no such table: triall\n"
            "  did you mean 'trial'? ('tailwave list queries' names the ready-made queries)");
}

TEST_F(Query, NamesTheReadyMadeQueriesWhenItHasNoSuggestion) {
  EXPECT_EQ(error("SELECT velocity_of_light FROM run"),
            "query: no such column: velocity_of_light\n"
            "  SELECT velocity_of_light FROM run\n"
            "         ^ 'tailwave list queries' names the ready-made queries");
}

TEST_F(Query, PointsAtASyntaxError) {
  EXPECT_EQ(error("SELECT 1 +* 2"),
            "query: near \"*\": syntax error\n"
            "  SELECT 1 +* 2\n"
            "            ^");
}

TEST_F(Query, TakesOneStatementAtATime) {
  EXPECT_EQ(error("SELECT 1; SELECT 2"),
            "query: one statement at a time\n"
            "  SELECT 1; SELECT 2\n"
            "           ^");
  EXPECT_EQ(csv(database_, "SELECT 1 AS x; -- and a remark\n"), "x\n1\n");
  EXPECT_EQ(error("  -- nothing\n"),
            "query: there is no SQL in it\n  'tailwave list queries' names the ready-made queries");
}

TEST_F(Query, RefusesAParameterThatTheSqlLacks) {
  EXPECT_EQ(error("SELECT :experiment", {{"experimnt", std::string("x")}}),
            "query: it has no parameter 'experimnt'\n  did you mean 'experiment'?");
  EXPECT_EQ(error("SELECT :experiment, :device", {{"zebra", 1}}),
            "query: it has no parameter 'zebra'\n  it takes: experiment, device");
  EXPECT_EQ(error("SELECT 1", {{"zebra", 1}}), "query: it has no parameter 'zebra'\n  it takes none");
}

TEST_F(Query, CountsWithTheStatisticsOfTheProgram) {
  EXPECT_EQ(csv(database_,
                "SELECT median(column1) AS m, quantile(column1, 0.25) AS q, median_low(column1) AS low, "
                "median_high(column1) AS high FROM (VALUES (1.0), (2.0), (3.0), (4.0), (NULL))"),
            "m,q,low,high\n2.5,1.75,1,4\n");
  EXPECT_EQ(csv(database_,
                "SELECT rank_correlation(column1, column2) AS r FROM (VALUES (1, 30), (2, 20), (3, 10))"),
            "r\n-1\n");
  EXPECT_EQ(csv(database_, "SELECT median(NULL) AS m"), "m\n\n");
}

TEST_F(Query, ReadsADatabaseThatIsOpenForReadingOnly) {
  Database reader(folder_ / "results.db", Database::Mode::read_only);
  EXPECT_EQ(csv(reader, "SELECT count(*) AS n FROM current_trial"), "n\n0\n");
  EXPECT_NE(samples::error_of([&] { reader.execute("DELETE FROM trial"); }), "no error");
}

TEST_F(Query, ComparesConfigurationsWithTheBestInAnyOrderOfRows) {
  const std::string rows =
      "WITH RECURSIVE one (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM one WHERE i < 59), "
      "row AS (SELECT i % 3 AS trial, 0 AS repetition, CASE i % 3 WHEN 0 THEN 2.0 WHEN 1 THEN 1.0 ELSE 1.005 "
      "END AS "
      "cost FROM one ORDER BY i * 7 % 60) SELECT compare_with_best(trial, repetition, cost, ";
  EXPECT_EQ(
      csv(database_, rows + "0.01) AS v FROM row"),
      "v\n\"[{\"\"high\"\":2.0,\"\"low\"\":2.0,\"\"ratio\"\":2.0,\"\"tied\"\":0,\"\"trial_id\"\":0},"
      "{\"\"high\"\":1.0,\"\"low\"\":1.0,\"\"ratio\"\":1.0,\"\"tied\"\":1,\"\"trial_id\"\":1},"
      "{\"\"high\"\":1.005,\"\"low\"\":1.005,\"\"ratio\"\":1.005,\"\"tied\"\":1,\"\"trial_id\"\":2}]\"\n");
  EXPECT_EQ(csv(database_, rows + "0.01) IS NULL AS none FROM row WHERE cost IS NULL"), "none\n1\n");
  EXPECT_EQ(samples::error_of([&] { std::ignore = database_.query(rows + "'wide') FROM row"); }),
            (folder_ / "results.db").string() + ": the margin must be a number");
}

}  // namespace
}  // namespace tailwave
