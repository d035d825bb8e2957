#include "store/migrations.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>

#include "core/error.h"
#include "store/embedded.h"
#include "store/statement.h"
#include "store/views.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const Database& database, const std::string& cause, const std::string& hint) {
  throw Error(Diagnostic{database.file().string(), "", cause, "", -1, hint}, Error::kRunFailed);
}

// The version of a tailwave database; 0 for an empty one.
int checked_version(Database& database, int newest) {
  // One statement sees one state: another process may be creating the schema.
  Statement statement = database.prepare(
      "SELECT count(*), (SELECT application_id FROM pragma_application_id),"
      " (SELECT user_version FROM pragma_user_version) FROM sqlite_schema");
  statement.step();
  const bool empty = statement.integer(0) == 0;
  const std::int64_t application = statement.integer(1);
  const int version = static_cast<int>(statement.integer(2));
  if (application == 0 && empty) return 0;
  if (application != kApplicationId)
    refuse(database, "is a database of another program", "name another file with --db");
  if (version > newest) {
    refuse(database,
           fmt::format("has schema version {}, but this tailwave knows versions up to {}", version, newest),
           "use a newer tailwave, or name another file with --db");
  }
  return version;
}

std::map<std::string, std::string> stored_views(Database& database) {
  std::map<std::string, std::string> views;
  Statement statement = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'");
  while (statement.step()) views[statement.text(0)] = statement.text(1);
  return views;
}

// What this program has and the database has not.
std::vector<View> differing_views(Database& database) {
  const std::map<std::string, std::string> stored = stored_views(database);
  std::vector<View> views = program_views();
  std::erase_if(views, [&](const View& view) {
    const auto found = stored.find(view.name);
    return found != stored.end() && found->second == view.sql;
  });
  return views;
}

// A transaction cannot change whether foreign keys are enforced, so this goes around one.
class ForeignKeysOff {
 public:
  explicit ForeignKeysOff(Database& database) : database_(database) {
    database.execute("PRAGMA foreign_keys = OFF");
  }
  ~ForeignKeysOff() {
    sqlite3_exec(database_.handle(), "PRAGMA foreign_keys = ON", nullptr, nullptr, nullptr);
  }
  ForeignKeysOff(const ForeignKeysOff&) = delete;
  ForeignKeysOff& operator=(const ForeignKeysOff&) = delete;

 private:
  Database& database_;
};

void check_foreign_keys(Database& database) {
  Statement statement = database.prepare("PRAGMA foreign_key_check");
  if (!statement.step()) return;
  refuse(database,
         fmt::format("cannot be brought up to date: row {} of {} refers to a row that {} lacks",
                     statement.integer(1), statement.text(0), statement.text(2)),
         "the database is damaged; name another file with --db");
}

}  // namespace

std::span<const Migration> migrations() {
  static const std::array<Migration, 8> steps{{{1, embedded::store::file("schema.sql")},
                                               {2, embedded::store::file("migration_2.sql")},
                                               {3, embedded::store::file("migration_3.sql")},
                                               {4, embedded::store::file("migration_4.sql")},
                                               {5, embedded::store::file("migration_5.sql")},
                                               {6, embedded::store::file("migration_6.sql")},
                                               {7, embedded::store::file("migration_7.sql")},
                                               {8, embedded::store::file("migration_8.sql")}}};
  return steps;
}

void migrate(Database& database, std::span<const Migration> steps) {
  const int newest = steps.back().version;
  if (checked_version(database, newest) == newest) return;
  const ForeignKeysOff foreign_keys_off(database);
  Transaction transaction(database);
  // Another process may have migrated while this one waited for the lock.
  const int version = checked_version(database, newest);
  if (version == newest) return;
  for (const auto& [name, sql] : stored_views(database)) database.execute("DROP VIEW \"" + name + "\"");
  for (const Migration& step : steps) {
    if (step.version > version) database.execute(step.sql);
  }
  check_foreign_keys(database);
  database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, newest));
  transaction.commit();
}

void require_version(Database& database, std::span<const Migration> steps) {
  const int newest = steps.back().version;
  const int version = checked_version(database, newest);
  if (version == newest) return;
  if (version == 0) refuse(database, "is empty", "'tailwave run' fills it");
  refuse(database, fmt::format("has schema version {}, but this tailwave reads {}", version, newest),
         "'tailwave run' updates it");
}

void refresh_views(Database& database) {
  if (differing_views(database).empty()) return;
  Transaction transaction(database);
  for (const View& view : differing_views(database)) {
    database.execute("DROP VIEW IF EXISTS \"" + view.name + "\"");
    database.execute(view.sql);
  }
  transaction.commit();
}

void overlay_views(Database& database) {
  if (differing_views(database).empty()) return;
  // All of them: a stored view would read the stored ones.
  for (const View& view : program_views()) {
    constexpr std::string_view kCreate = "CREATE ";
    database.execute("CREATE TEMP " + view.sql.substr(kCreate.size()));
  }
}

}  // namespace tailwave
