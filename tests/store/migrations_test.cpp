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

// A database as tailwave wrote it before version 5, with the rows of `sql`.
void make_version_4(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* opened = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &opened), SQLITE_OK);
  const std::unique_ptr<sqlite3, Destroy<sqlite3_close_v2>> database(opened);
  const auto execute = [&](std::string_view text) {
    ASSERT_EQ(sqlite3_exec(opened, std::string(text).c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(opened);
  };
  execute("PRAGMA foreign_keys = OFF");
  for (const Migration& step : migrations().first(4)) execute(step.sql);
  execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = 4", kApplicationId));
  execute(sql);
}

constexpr const char* kRowsOfVersion4 = R"(
  INSERT INTO device VALUES (7, 'cuda', 'NVIDIA H200', 'GPU-1', 90, 132, 150000000000, 1980, 3201, '{}');
  INSERT INTO device VALUES (9, 'cpu', 'Test CPU', '', 0, 2, 8000000000, 0, 0, '{}');
  INSERT INTO run (id, device_id, system, experiment, question, metric, maximise, spec_file, spec_hash, spec_text, fresh,
    started_at, host, driver, compiler, host_compiler, project_commit, tailwave_version, occupancy_device)
  VALUES (3, 7, 'nbody', 'variants', '?', 'time', 0, 'f', 'h', '{}', 0, '2025', '', '', '', '', '', '', 'h200');
  INSERT INTO configuration VALUES (5, 'nbody/cpu', 'nbody', 'cpu', '{}', '{}');
  INSERT INTO trial (id, run_id, device_id, configuration_id, key, outcome, work) VALUES (4, 3, 9, 5, 'k', 'correct', '{}');
  INSERT INTO sample (trial_id, repetition, position, time_ns, executions) VALUES (4, 0, 0, 1000, 1);
  INSERT INTO selftest (run_at, device_id, name, quantity) VALUES ('2025', 7, 'clock', 'step');)";

TEST(Migrations, KeepTheRowsThatReferToADeviceWhereItsTableIsMadeAnew) {
  const TemporaryFolder folder;
  make_version_4(folder / "results.db", kRowsOfVersion4);
  Database database(folder / "results.db", Database::Mode::read_write);
  EXPECT_EQ(csv(database, "SELECT id, kind, name, sms FROM device ORDER BY id"),
            "id,kind,name,sms\n7,cuda,NVIDIA H200,132\n9,cpu,Test CPU,2\n");
  EXPECT_EQ(
      csv(database,
          "SELECT run_device, device, median_ns FROM current_trial JOIN trial_time USING (trial_id, device)"),
      "run_device,device,median_ns\nNVIDIA H200,Test CPU,1000\n");
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM selftest JOIN device ON device.id = device_id"),
            "n\n1\n");
  EXPECT_EQ(csv(database, "PRAGMA user_version"), fmt::format("user_version\n{}\n", kNewest));
}

TEST(Migrations, KeepTheConstraintsOfATableThatIsMadeAnew) {
  const TemporaryFolder folder;
  make_version_4(folder / "results.db", kRowsOfVersion4);
  Database database(folder / "results.db", Database::Mode::read_write);
  const std::string file = (folder / "results.db").string();
  EXPECT_EQ(error_of([&] { database.execute("DELETE FROM device WHERE id = 7"); }),
            file + ": FOREIGN KEY constraint failed");
  EXPECT_EQ(error_of([&] { database.execute("UPDATE device SET kind = 'tpu'"); }),
            file + ": CHECK constraint failed: kind IN ('cuda', 'cpu', 'recorded')");
  EXPECT_NO_THROW(database.execute("UPDATE device SET kind = 'recorded' WHERE id = 7"));
  const Database fresh(folder / "fresh.db", Database::Mode::read_write);
  Database again(folder / "fresh.db", Database::Mode::read_only);
  const char* columns = "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('device')";
  EXPECT_EQ(csv(database, columns), csv(again, columns));
}

TEST(Migrations, KeepWhatGuardsTrialsWhereTheirTableIsMadeAnew) {
  const TemporaryFolder folder;
  make_version_4(folder / "results.db", kRowsOfVersion4);
  Database database(folder / "results.db", Database::Mode::read_write);
  const std::string file = (folder / "results.db").string();
  EXPECT_EQ(csv(database, "SELECT id, run_id, device_id, key, outcome, same_as FROM trial"),
            "id,run_id,device_id,key,outcome,same_as\n4,3,9,k,correct,\n");
  EXPECT_EQ(error_of([&] { database.execute("UPDATE trial SET outcome = 'compile_timeout'"); }),
            file + ": only a correct trial has samples");
  database.execute("DELETE FROM sample; UPDATE trial SET outcome = 'compile_timeout'");
  EXPECT_EQ(error_of([&] {
              database.execute(
                  "INSERT INTO sample (trial_id, repetition, position, time_ns, executions) VALUES (4, 0, 0, "
                  "1, 1)");
            }),
            file + ": only a correct trial has samples");
  EXPECT_EQ(
      csv(database,
          "SELECT name FROM sqlite_schema WHERE tbl_name = 'trial' AND name NOT LIKE 'sqlite%' ORDER BY 1"),
      "name\ntimed_trial_stays_correct\ntrial\ntrial_by_configuration\ntrial_by_key\n");
  database.execute("DELETE FROM run");
  EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM trial"), "n\n0\n");
}

TEST(Migrations, RefuseADatabaseWhoseRowsReferToNone) {
  const TemporaryFolder folder;
  const auto file = folder / "results.db";
  make_version_4(
      file, "INSERT INTO selftest (run_at, device_id, name, quantity) VALUES ('2025', 7, 'clock', 'step')");
  EXPECT_EQ(error_of([&] { Database(file, Database::Mode::read_write); }),
            file.string() +
                ": cannot be brought up to date: row 1 of selftest refers to a row that device lacks\n"
                "  the database is damaged; name another file with --db");
  EXPECT_NE(error_of([&] { Database(file, Database::Mode::read_only); }).find("has schema version 4"),
            std::string::npos);
}

}  // namespace
}  // namespace tailwave
