// Database::query: what a person may ask, and what is said when it cannot be done.
#include <gtest/gtest.h>

#include <fstream>

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

// Large queries take longer to prepare than to run.
TEST_F(Query, PreparesTheSameSqlOnce) {
  const std::string sql = "SELECT count(*) AS n FROM trial WHERE id > :least;";
  EXPECT_EQ(csv(database_, sql + "\n", {{"least", 0}}), "n\n0\n");
  EXPECT_EQ(csv(database_, "SELECT 1 AS n"), "n\n1\n");
  EXPECT_EQ(csv(database_, sql), "n\n0\n");
  sqlite3_stmt* kept = nullptr;
  do kept = sqlite3_next_stmt(database_.handle(), kept);
  while (kept != nullptr && sqlite3_sql(kept) != sql);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(sqlite3_stmt_status(kept, SQLITE_STMTSTATUS_RUN, 0), 2);
  EXPECT_EQ(sqlite3_stmt_status(kept, SQLITE_STMTSTATUS_REPREPARE, 0), 0);
}

TEST_F(Query, ChecksSqlThatTheProgramPreparedForItself) {
  const std::string sql = "DELETE FROM trial";
  database_.prepare(sql).run();
  EXPECT_EQ(error(sql), refused("DELETE from trial"));
}

TEST_F(Query, RefusesToReachOutsideTheDatabase) {
  const auto other = folder_ / "other.db";
  EXPECT_EQ(error("ATTACH '" + other.string() + "' AS other"), refused("ATTACH"));
  EXPECT_EQ(error("VACUUM INTO '" + other.string() + "'"), refused("writing"));
  EXPECT_EQ(error("SELECT load_extension('evil')"), refused("load_extension()"));
  EXPECT_EQ(error("SELECT fts3_tokenizer('simple', x'4141414141414141')"), refused("fts3_tokenizer()"));
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
            "    ^ did you mean 'outcome'?");
  EXPECT_EQ(error("SELECT trial.detial FROM trial"),
            "query: no such column: trial.detial\n"
            "  SELECT trial.detial FROM trial\n"
            "         ^ did you mean 'detail'?");
}

TEST_F(Query, SuggestsTheTableThatWasMeant) {
  EXPECT_EQ(error("SELECT * FROM triall"),
            "query: no such table: triall\n"
            "  SELECT * FROM triall\n"
            "                ^ did you mean 'trial'?");
  EXPECT_EQ(error("SELECT * FROM main.zebra"),
            "query: no such table: main.zebra\n"
            "  SELECT * FROM main.zebra\n"
            "                     ^ 'tailwave list queries' and 'tailwave list views' name what there is");
}

TEST_F(Query, SuggestsTheFunctionThatWasMeant) {
  EXPECT_EQ(error("SELECT medain(1)"),
            "query: no such function: medain\n"
            "  SELECT medain(1)\n"
            "         ^ did you mean 'median'?");
}

TEST_F(Query, NamesTheColumnsThatThereAreWhenNoneIsNear) {
  EXPECT_EQ(error("SELECT velocity_of_light FROM run_phase AS phase"),
            "query: no such column: velocity_of_light\n"
            "  SELECT velocity_of_light FROM run_phase AS phase\n"
            "         ^ run_phase has: run_id, phase, seconds");
  EXPECT_EQ(error("SELECT velocity_of_light"),
            "query: no such column: velocity_of_light\n"
            "  SELECT velocity_of_light\n"
            "         ^ 'tailwave list queries' and 'tailwave list views' name what there is");
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
  EXPECT_EQ(
      error("  -- nothing\n"),
      "query: there is no SQL in it\n  'tailwave list queries' and 'tailwave list views' name what there is");
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

constexpr const char* kEndless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";

TEST_F(Query, EndsWhenItIsCancelled) {
  int asked = 0;
  database_.limit_queries({.cancelled = [&] { return ++asked == 3; }});
  EXPECT_EQ(samples::error_of(
                [&] { std::ignore = database_.query(std::string(kEndless) + "SELECT count(*) FROM n"); }),
            (folder_ / "results.db").string() + ": interrupted");
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(csv(database_, "SELECT 1 AS x"), "x\n1\n");
}

TEST_F(Query, RefusesAResultThatDoesNotFitIntoMemory) {
  database_.limit_queries({.result_bytes = std::size_t{1} << 20U});
  EXPECT_EQ(error(std::string(kEndless) + "SELECT i FROM n"),
            "query: the result is larger than 1 MiB\n  let SQL count, group or choose, or add LIMIT");
  EXPECT_EQ(csv(database_, std::string(kEndless) + "SELECT max(i) AS i FROM (SELECT i FROM n LIMIT 90000)"),
            "i\n90000\n");
}

TEST_F(Query, BlamesTheStatementForWhatFailsWhileItRuns) {
  const std::string where = "\n  while it ran on the rows of " + (folder_ / "results.db").string();
  EXPECT_EQ(error("SELECT json_extract('{', '$.a')"), "query: malformed JSON" + where);
  EXPECT_EQ(error("SELECT abs(-9223372036854775808)"), "query: integer overflow" + where);
  EXPECT_EQ(error("SELECT value ->> '$.a' FROM (SELECT 'no JSON' AS value)"),
            "query: malformed JSON" + where);
}

TEST_F(Query, BlamesTheFileForWhatIsDamagedInIt) {
  const auto file = folder_ / "damaged.db";
  {
    Database made(file, Database::Mode::read_write);
    made.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO build "
        "SELECT i, i, '', '', '', '', hex(zeroblob(100)) FROM n; PRAGMA wal_checkpoint(TRUNCATE)");
  }
  const auto size = std::filesystem::file_size(file);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(size / 2));
  bytes << std::string(size / 4, '\xee');
  bytes.close();
  Database damaged(file, Database::Mode::read_only);
  EXPECT_EQ(samples::error_of([&] { std::ignore = damaged.query("SELECT sum(length(log)) FROM build"); }),
            file.string() + ": database disk image is malformed\n  move the file away, or name another one");
}

class ReadOnlyQuery : public Query {
 protected:
  std::string failure(const std::string& sql) {
    return samples::error_of([&] { std::ignore = reader_.query(sql); });
  }
  Database reader_{folder_ / "results.db", Database::Mode::read_only};
};

TEST_F(ReadOnlyQuery, IsRefusedByTheFileItselfBelowTheGuard) {
  const std::string file = (folder_ / "results.db").string();
  EXPECT_EQ(samples::error_of([&] { reader_.execute("DELETE FROM trial"); }),
            file + ": is read-only\n  make the file and its folder writable, or name another file");
  EXPECT_EQ(samples::error_of([&] { reader_.execute("ATTACH ':memory:' AS other"); }),
            file + ": too many attached databases - max 0");
}

TEST_F(ReadOnlyQuery, RefusesValuesThatFillTheMemory) {
  const std::string where = "\n  while it ran on the rows of " + (folder_ / "results.db").string();
  EXPECT_EQ(failure("SELECT length(zeroblob(900000000))"), "query: string or blob too big" + where);
  EXPECT_EQ(csv(reader_, "SELECT length(zeroblob(1000)) AS n"), "n\n1000\n");
}

TEST_F(ReadOnlyQuery, RefusesMoreMemoryThanSqliteMayTake) {
  const auto most = sqlite3_hard_heap_limit64(-1);
  EXPECT_EQ(most, std::int64_t{kMostQueryBytes});
  sqlite3_hard_heap_limit64(8 << 20);
  EXPECT_EQ(failure("SELECT length(hex(zeroblob(10000000)))"),
            "query: SQLite needs more than 8 MiB of memory for it\n"
            "  let SQL count, group or choose, or add LIMIT");
  sqlite3_hard_heap_limit64(most);
  EXPECT_EQ(csv(reader_, "SELECT length(hex(zeroblob(10000000))) AS n"), "n\n20000000\n");
}

// A file of somebody else's may hold a view that calls what SQL may call directly alone.
TEST_F(ReadOnlyQuery, TrustsNoViewOfTheFile) {
  database_.execute("CREATE VIEW evil AS SELECT load_extension('evil') AS x");
  EXPECT_EQ(failure("SELECT x FROM evil"), "query: unsafe use of load_extension()");
}

TEST_F(Query, ComparesConfigurationsWithTheBestInAnyOrderOfRows) {
  const std::string rows =
      "WITH RECURSIVE one (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM one WHERE i < 59), "
      "row AS (SELECT i % 3 AS trial, 0 AS repetition, CASE i % 3 WHEN 0 THEN 2.0 WHEN 1 THEN 1.0 ELSE 1.005 "
      "END AS "
      "cost FROM one ORDER BY i * 7 % 60) SELECT compare_with_best(trial, repetition, cost, ";
  EXPECT_EQ(
      csv(database_, rows + "0.01) AS v FROM row"),
      "v\n\"[{\"\"high\"\":2.0,\"\"low\"\":2.0,\"\"ratio\"\":2.0,\"\"trial_id\"\":0,\"\"verdict\"\":"
      "\"\"slower\"\"},"
      "{\"\"high\"\":1.0,\"\"low\"\":1.0,\"\"ratio\"\":1.0,\"\"trial_id\"\":1,\"\"verdict\"\":\"\"best\"\"},"
      "{\"\"high\"\":1.005,\"\"low\"\":1.005,\"\"ratio\"\":1.005,\"\"trial_id\"\":2,\"\"verdict\"\":"
      "\"\"tied\"\"}]\"\n");
  // A fifth argument of 0 leaves out the intervals of those that are slower.
  EXPECT_EQ(csv(database_, rows + "0.01, trial = 2) ->> '$[0]' AS v FROM row"),
            "v\n\"{\"\"ratio\"\":2.0,\"\"trial_id\"\":0,\"\"verdict\"\":\"\"slower\"\"}\"\n");
  EXPECT_EQ(csv(database_, rows + "0.01, 0) ->> '$[2].high' AS v FROM row"), "v\n1.005\n");
  EXPECT_EQ(csv(database_, rows + "0.01) IS NULL AS none FROM row WHERE cost IS NULL"), "none\n1\n");
  EXPECT_EQ(samples::error_of([&] { std::ignore = database_.query(rows + "'wide') FROM row"); }),
            "query: the margin must be a number\n  while it ran on the rows of " +
                (folder_ / "results.db").string());
}

}  // namespace
}  // namespace tailwave
