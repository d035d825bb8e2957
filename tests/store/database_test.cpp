#include "store/database.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

#include "core/error.h"
#include "fakes/database_lock.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;
using samples::TemporaryFolder;

std::string open_error(const std::filesystem::path& file, Database::Mode mode) {
  return error_of([&] { const Database database(file, mode); });
}

TEST(Database, CreatesMissingFoldersAndTheSchema) {
  const TemporaryFolder folder;
  Database database(folder / "deep/down/results.db", Database::Mode::read_write);
  EXPECT_EQ(
      csv(database, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
      "name\nblock_trace\nbuild\nconfiguration\ncounted_launch\ncounter_run\ncounter_value\ndevice\ndrift_"
      "sample\ngpu_factor\ngrid_curve\ngrid_prediction\ngrid_"
      "sample\nlaunch\nmain_kernel\nmeasurement\npublished_value\nranking\nranking_trial\nregime\nregime_finalist\nrun\nrun_phase\nrun_"
      "plan\nsample\nsearch\n"
      "search_step\nselftest\nsimulation\nsimulation_seed\nsimulation_step\nsm_curve\nsm_sample\ntime_limit\ntimeline\ntimeline_record\ntrace\ntrace_launch\n"
      "trial\ntrial_energy\ntrial_metric\nunfinished_trial\nvariant_domain\nverification\n");
  EXPECT_EQ(csv(database, "PRAGMA user_version"), "user_version\n1\n");
  Statement journal = database.prepare("PRAGMA journal_mode");
  ASSERT_TRUE(journal.step());
  EXPECT_EQ(journal.text(0), "wal");
}

TEST(Database, MakesEveryTableStrict) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  EXPECT_EQ(csv(database,
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict "
                "AND name NOT LIKE 'sqlite_%'"),
            "name\n");
}

TEST(Database, WritesNothingWhenItIsOpenedAgain) {
  const TemporaryFolder folder;
  const auto version = [&] {
    Database database(folder / "results.db", Database::Mode::read_write);
    Statement statement = database.prepare("PRAGMA schema_version");
    statement.step();
    return statement.integer(0);
  };
  const std::int64_t first = version();
  EXPECT_EQ(version(), first);
}

TEST(Database, RestoresAViewThatDiffersAndKeepsOtherViews) {
  const TemporaryFolder folder;
  {
    Database database(folder / "results.db", Database::Mode::read_write);
    database.execute(
        "DROP VIEW speedup; CREATE VIEW speedup AS SELECT 1; CREATE VIEW mine AS SELECT 2 AS two");
  }
  Database database(folder / "results.db", Database::Mode::read_write);
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM pragma_table_info('speedup') WHERE name = 'slowest'"),
            "n\n1\n");
  EXPECT_EQ(csv(database, "SELECT two FROM mine"), "two\n2\n");
}

TEST(Database, LaysItsViewsOverThoseOfAnOlderProgramWhenOnlyReading) {
  const TemporaryFolder folder;
  {
    Database database(folder / "results.db", Database::Mode::read_write);
    database.execute(
        "DROP VIEW ranked_trial; DROP VIEW trial_time; CREATE VIEW trial_time AS SELECT 1 AS one");
  }
  Database database(folder / "results.db", Database::Mode::read_only);
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM ranked_trial"), "n\n0\n");
  EXPECT_EQ(csv(database, "SELECT count(median_ns) AS n FROM trial_rate JOIN trial_time USING (trial_id)"),
            "n\n0\n");
}

// The files that SQLite keeps beside a database cannot be made where links have their names.
TEST(Database, IsReadWithoutFilesBesideItUnlessALogHasMore) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "a %41?#.db";
  { Database database(file, Database::Mode::read_write); }
  std::filesystem::create_symlink("nowhere", file.string() + "-shm");
  {
    Database database(file, Database::Mode::read_only);
    EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM trial"), "n\n0\n");
  }
  std::ofstream(file.string() + "-wal") << "results";
  EXPECT_THAT(open_error(file, Database::Mode::read_only), testing::StartsWith(file.string() + ": "));
}

TEST(Database, RefusesAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "sub");
  EXPECT_EQ(open_error(folder / "sub", Database::Mode::read_write),
            (folder / "sub").string() + ": is a folder, not a database\n  name a file in it");
}

TEST(Database, RefusesADevice) {
  for (const auto mode : {Database::Mode::read_write, Database::Mode::read_only})
    EXPECT_EQ(open_error("/dev/null", mode),
              "/dev/null: is a device or pipe, not a database\n  name a file with --db");
}

TEST(Database, RefusesAMissingFileWhenOnlyReading) {
  const TemporaryFolder folder;
  const auto file = folder / "none.db";
  EXPECT_EQ(open_error(file, Database::Mode::read_only),
            file.string() + ": there is no such database\n  'tailwave run' makes one; --db names another");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Database, RefusesAFileThatIsNoDatabaseAndLeavesItAlone) {
  const TemporaryFolder folder;
  const auto file = folder / "notes.txt";
  const std::string text(5000, 'x');
  std::ofstream(file) << text;
  for (const auto mode : {Database::Mode::read_only, Database::Mode::read_write})
    EXPECT_EQ(open_error(file, mode), file.string() + ": is not a SQLite database\n  name another file");
  std::ifstream stream(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), text);
}

TEST(Database, RefusesTheDatabaseOfAnotherProgram) {
  const TemporaryFolder folder;
  const auto file = folder / "other.db";
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "CREATE TABLE bookmarks (url TEXT)", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_EQ(open_error(file, Database::Mode::read_write),
            file.string() + ": is a database of another program\n  name another file");
}

TEST(Database, RefusesANewerVersion) {
  const TemporaryFolder folder;
  const auto file = folder / "results.db";
  Database(file, Database::Mode::read_write).execute("PRAGMA user_version = 8");
  for (const auto mode : {Database::Mode::read_only, Database::Mode::read_write})
    EXPECT_EQ(open_error(file, mode),
              file.string() +
                  ": has schema version 8, but this tailwave knows versions up to 1\n"
                  "  recorded results can be imported again into a new database: 'tailwave "
                  "import FILE... --db NEW'");
}

TEST(Database, RefusesItsVersionWithOtherTables) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const char* change) {
    const auto file = folder / name;
    Database(file, Database::Mode::read_write).execute(change);
    std::string text = open_error(file, Database::Mode::read_only);
    EXPECT_EQ(open_error(file, Database::Mode::read_write), text);
    return text.substr(0, text.find('\n'));
  };
  const std::string other = ": has schema version 1, but of another tailwave: ";
  EXPECT_EQ(refused("column.db", "ALTER TABLE run ADD COLUMN note TEXT"),
            (folder / "column.db").string() + other + "'run' is defined otherwise");
  EXPECT_EQ(refused("table.db", "DROP TABLE main_kernel"),
            (folder / "table.db").string() + other + "'main_kernel' is missing");
  EXPECT_EQ(refused("index.db", "DROP INDEX run_by_series"),
            (folder / "index.db").string() + other + "'run_by_series' is missing");
  EXPECT_EQ(refused("more.db", "CREATE TABLE mine (x INTEGER)"), "no error");
}

TEST(Database, CanBeCreatedByFourProcessesAtOnce) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        const Database database(folder / "results.db", Database::Mode::read_write);
        std::_Exit(0);
      } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::_Exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(Database, ThatStaysLockedIsNamed) {
  constexpr std::chrono::milliseconds kWait(1);
  const TemporaryFolder folder;
  const auto file = folder / "results.db";
  const std::string locked = file.string() +
                             ": another program has locked the database\n"
                             "  try again when it has ended; nothing that is stored is lost";
  {
    const fakes::DatabaseLock lock(file);
    EXPECT_EQ(error_of([&] { const Database made(file, Database::Mode::read_write, kWait); }), locked);
  }
  Database database(file, Database::Mode::read_write, kWait);
  {
    const fakes::DatabaseLock lock(file);
    EXPECT_EQ(error_of([&] { const Transaction transaction(database); }), locked);
  }
  EXPECT_EQ(error_of([&] { const Transaction transaction(database); }), "no error");
}

TEST(Database, IsWaitedForAsLongAsTheEnvironmentSays) {
  EXPECT_EQ(Database::usual_lock_wait(), std::chrono::seconds(10));
  setenv("TAILWAVE_LOCK_WAIT_MS", "7", 1);
  EXPECT_EQ(Database(kInMemory, Database::Mode::read_write).lock_wait(), std::chrono::milliseconds(7));
  for (const char* nonsense : {"", "7 s", "-1", "99999999999"}) {
    setenv("TAILWAVE_LOCK_WAIT_MS", nonsense, 1);
    EXPECT_EQ(error_of([] { Database::usual_lock_wait(); }),
              "TAILWAVE_LOCK_WAIT_MS: '" + std::string(nonsense) +
                  "' is no number of milliseconds\n  for example 10000");
  }
  unsetenv("TAILWAVE_LOCK_WAIT_MS");
}

// SQLite with pauses that take no time; each calls a function. For databases that are opened while it lives.
class ImmediatePauses {
 public:
  explicit ImmediatePauses(std::function<void()> on_pause) : files_(*sqlite3_vfs_find(nullptr)) {
    on_pause_ = std::move(on_pause);
    files_.zName = "immediate pauses";
    files_.pNext = nullptr;
    files_.xSleep = [](sqlite3_vfs* /*files*/, int microseconds) {
      on_pause_();
      return microseconds;
    };
    sqlite3_vfs_register(&files_, 1);
  }
  ~ImmediatePauses() { sqlite3_vfs_unregister(&files_); }
  ImmediatePauses(const ImmediatePauses&) = delete;
  ImmediatePauses& operator=(const ImmediatePauses&) = delete;

 private:
  static inline std::function<void()> on_pause_;
  sqlite3_vfs files_;
};

TEST(Database, WaitsForALockThatIsHeldForAMoment) {
  const TemporaryFolder folder;
  const auto file = folder / "results.db";
  std::optional<fakes::DatabaseLock> lock;
  int pauses = 0;
  const ImmediatePauses sqlite([&] {
    if (++pauses == 3) lock.reset();
  });
  Database database(file, Database::Mode::read_write);
  lock.emplace(file);
  Transaction transaction(database);
  EXPECT_EQ(pauses, 3);
  transaction.commit();
}

TEST(Transaction, RollsBackUnlessCommitted) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  const std::string insert =
      "INSERT INTO build (key, compiler, target, options, code_hash, log) VALUES ('k', '', '', '', '', '')";
  {
    const Transaction transaction(database);
    database.execute(insert);
  }
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM build"), "n\n0\n");
  {
    Transaction transaction(database);
    database.execute(insert);
    transaction.commit();
  }
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM build"), "n\n1\n");
}

TEST(Statement, NamesTheFileInErrors) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  EXPECT_EQ(error_of([&] { database.execute("INSERT INTO build (key) VALUES ('a')"); }),
            (folder / "results.db").string() + ": NOT NULL constraint failed: build.compiler");
}

TEST(Statement, BindsAndReadsEveryKindOfValue) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  Statement statement = database.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6, :named");
  statement.bind_all(42, 0.5, std::string("text"), true, std::optional<int>(), std::nan(""))
      .bind(":named", "x");
  ASSERT_TRUE(statement.step());
  EXPECT_EQ(statement.integer(0), 42);
  EXPECT_EQ(statement.real(1), 0.5);
  EXPECT_EQ(statement.text(2), "text");
  EXPECT_EQ(statement.cell(3), Cell{std::int64_t{1}});
  EXPECT_TRUE(statement.is_null(4));
  EXPECT_EQ(statement.optional_real(5), std::nullopt);
  EXPECT_EQ(statement.text(6), "x");
  EXPECT_FALSE(statement.step());
}

TEST(Statement, BeginsAnewWhenItsSqlIsPreparedAgain) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  const char* const sql = "SELECT ? UNION ALL SELECT 2";
  std::optional<Statement> statement = database.prepare(sql);
  const sqlite3_stmt* const first = statement->handle();
  ASSERT_TRUE(statement->bind_all(1).step());
  EXPECT_NE(database.prepare(sql).handle(), first);  // which is in use; this one is kept then
  statement.reset();
  statement = database.prepare(sql);
  ASSERT_TRUE(statement->bind_all(1).step());
  const sqlite3_stmt* const kept = statement->handle();
  statement.reset();
  Statement again = database.prepare(sql);
  ASSERT_EQ(again.handle(), kept);
  ASSERT_TRUE(again.step());
  EXPECT_TRUE(again.is_null(0));  // neither the binding nor the place is left
  database.execute("CREATE TABLE other (id INTEGER)");
  ASSERT_TRUE(again.step());
  EXPECT_EQ(again.integer(0), 2);
}

TEST(Statement, StoresAnEmptyTextAsTextAndNotAsNull) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  Statement statement = database.prepare("SELECT ?");
  ASSERT_TRUE(statement.bind_all(std::string_view()).step());
  EXPECT_FALSE(statement.is_null(0));
}

}  // namespace
}  // namespace tailwave
