#include "store/migrations.h"

#include <gtest/gtest.h>

#include <array>

#include "core/error.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::error_of;
using samples::TemporaryFolder;

// What a later tailwave would bring: version 4 gives a run a note.
std::vector<Migration> with_second_step(std::string_view sql) {
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back({4, sql});
  return steps;
}

TEST(Migrations, BringAnOlderDatabaseUpToDateAndKeepItsRows) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  ResultStore(database).begin_run(samples::run("variants", "2025-01-01T10:00:00Z"), samples::gpu());
  const auto steps = with_second_step("ALTER TABLE run ADD COLUMN note TEXT");

  migrate(database, steps);
  refresh_views(database);

  EXPECT_EQ(csv(database, "SELECT experiment, note FROM run"), "experiment,note\nvariants,\n");
  EXPECT_EQ(csv(database, "PRAGMA user_version"), "user_version\n4\n");
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM current_trial"), "n\n0\n");
  EXPECT_NO_THROW(require_version(database, steps));
}

TEST(Migrations, ChangeNothingWhenAStepFails) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  const auto steps =
      with_second_step("ALTER TABLE run ADD COLUMN note TEXT; ALTER TABLE none ADD COLUMN x TEXT");

  EXPECT_EQ(error_of([&] { migrate(database, steps); }),
            (folder / "results.db").string() + ": no such table: none");

  EXPECT_EQ(csv(database, "PRAGMA user_version"), "user_version\n3\n");
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM pragma_table_info('run') WHERE name = 'note'"),
            "n\n0\n");
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM current_trial"), "n\n0\n");
}

TEST(Migrations, AreNotAppliedTwice) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  const auto steps = with_second_step("ALTER TABLE run ADD COLUMN note TEXT");
  migrate(database, steps);
  EXPECT_NO_THROW(migrate(database, steps));
}

TEST(Migrations, AreAskedForWhenAnOlderDatabaseIsOnlyRead) {
  const TemporaryFolder folder;
  Database database(folder / "results.db", Database::Mode::read_write);
  EXPECT_EQ(error_of([&] { require_version(database, with_second_step("SELECT 1")); }),
            (folder / "results.db").string() +
                ": has schema version 3, but this tailwave reads 4\n  'tailwave run' updates it");
}

}  // namespace
}  // namespace tailwave
