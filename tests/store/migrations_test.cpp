#include "store/migrations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <memory>

#include "core/error.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;
using samples::TemporaryFolder;

const int kNewest = migrations().back().version;

// What a later tailwave would bring.
std::vector<Migration> with_next_step(std::string_view sql) {
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back({kNewest + 1, sql});
  return steps;
}

TEST(Migrations, BringAnOlderDatabaseUpToDateAndKeepItsRows) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  ResultStore(database).begin_run(samples::run("variants", "2025-01-01T10:00:00Z"), samples::gpu());
  const auto steps = with_next_step("ALTER TABLE run ADD COLUMN note TEXT");

  migrate(database, steps);
  refresh_views(database);

  EXPECT_EQ(csv(database, "SELECT experiment, note FROM run"), "experiment,note\nvariants,\n");
  EXPECT_EQ(csv(database, "PRAGMA user_version"), fmt::format("user_version\n{}\n", kNewest + 1));
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM current_trial"), "n\n0\n");
  EXPECT_NO_THROW(require_version(database, steps));
}

TEST(Migrations, ChangeNothingWhenAStepFails) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  const auto steps =
      with_next_step("ALTER TABLE run ADD COLUMN note TEXT; ALTER TABLE none ADD COLUMN x TEXT");

  EXPECT_EQ(error_of([&] { migrate(database, steps); }),
            (folder / "results.db").string() + ": no such table: none");

  EXPECT_EQ(csv(database, "PRAGMA user_version"), fmt::format("user_version\n{}\n", kNewest));
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM pragma_table_info('run') WHERE name = 'note'"),
            "n\n0\n");
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM current_trial"), "n\n0\n");
}

TEST(Migrations, AreNotAppliedTwice) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  const auto steps = with_next_step("ALTER TABLE run ADD COLUMN note TEXT");
  migrate(database, steps);
  EXPECT_NO_THROW(migrate(database, steps));
}

TEST(Migrations, AreAskedForWhenAnOlderDatabaseIsOnlyRead) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  EXPECT_EQ(error_of([&] { require_version(database, with_next_step("SELECT 1")); }),
            fmt::format("{}: has schema version {}, but this tailwave reads {}\n  'tailwave run' updates it",
                        (folder / "results.db").string(), kNewest, kNewest + 1));
}

TEST(Migrations, MayMakeATableAnewUnderTheRowsThatReferToIt) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  ResultStore(database).begin_run(samples::run("variants", "2025-01-01T10:00:00Z"), samples::gpu());
  migrate(database, with_next_step("CREATE TABLE new_device (id INTEGER PRIMARY KEY, name TEXT); "
                                   "INSERT INTO new_device SELECT id, name FROM device; DROP TABLE device; "
                                   "ALTER TABLE new_device RENAME TO device"));
  EXPECT_EQ(csv(database, "SELECT device.name FROM run JOIN device ON device.id = device_id"),
            "name\nNVIDIA H200\n");
  EXPECT_EQ(error_of([&] { database.execute("DELETE FROM device"); }),
            (folder / "results.db").string() + ": FOREIGN KEY constraint failed");
}

TEST(Migrations, RefuseAStepThatLeavesARowReferringToNone) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  ResultStore(database).begin_run(samples::run("variants", "2025-01-01T10:00:00Z"), samples::gpu());
  EXPECT_EQ(error_of([&] { migrate(database, with_next_step("DELETE FROM device")); }),
            (folder / "results.db").string() +
                ": cannot be brought up to date: row 1 of run refers to a row that device lacks\n"
                "  the database is damaged; name another file");
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM device"), "n\n1\n");
}

}  // namespace
}  // namespace tailwave
