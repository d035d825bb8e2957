#include "store/migrations.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>

#include "core/error.h"
#include "store/embedded.h"
#include "store/statement.h"

namespace tailwave {
namespace {

int pragma(Database& database, const std::string& name) {
  Statement statement = database.prepare("PRAGMA " + name);
  statement.step();
  return static_cast<int>(statement.integer(0));
}

[[noreturn]] void refuse(const Database& database, const std::string& cause, const std::string& hint) {
  throw Error(Diagnostic{database.file().string(), "", cause, "", -1, hint}, Error::kRunFailed);
}

bool is_empty(Database& database) {
  Statement statement = database.prepare("SELECT count(*) FROM sqlite_schema");
  statement.step();
  return statement.integer(0) == 0;
}

// The version of a tailwave database; 0 for an empty one.
int checked_version(Database& database, int newest) {
  const int application = pragma(database, "application_id");
  if (application == 0 && is_empty(database)) return 0;
  if (application != kApplicationId)
    refuse(database, "is a database of another program", "name another file with --db");
  const int version = pragma(database, "user_version");
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

// File name without folder and ending -> the CREATE VIEW statement, as SQLite keeps it.
std::map<std::string, std::string> embedded_views() {
  std::map<std::string, std::string> views;
  for (const auto& [path, text] : embedded::store::files()) {
    const std::filesystem::path file(path);
    if (file.parent_path().filename() != "views") continue;
    std::string statement(text.substr(text.find("CREATE VIEW")));
    statement.erase(statement.rfind(';'));
    views[file.stem().string()] = std::move(statement);
  }
  return views;
}

// What this program has and the database has not.
std::map<std::string, std::string> differing_views(Database& database) {
  const std::map<std::string, std::string> stored = stored_views(database);
  std::map<std::string, std::string> views = embedded_views();
  std::erase_if(views, [&](const auto& view) {
    const auto found = stored.find(view.first);
    return found != stored.end() && found->second == view.second;
  });
  return views;
}

}  // namespace

std::span<const Migration> migrations() {
  static const std::array<Migration, 3> steps{{{1, embedded::store::file("schema.sql")},
                                               {2, embedded::store::file("migration_2.sql")},
                                               {3, embedded::store::file("migration_3.sql")}}};
  return steps;
}

void migrate(Database& database, std::span<const Migration> steps) {
  const int newest = steps.back().version;
  if (checked_version(database, newest) == newest) return;
  Transaction transaction(database);
  // Another process may have migrated while this one waited for the lock.
  const int version = checked_version(database, newest);
  if (version == newest) return;
  for (const auto& [name, sql] : stored_views(database)) database.execute("DROP VIEW \"" + name + "\"");
  for (const Migration& step : steps) {
    if (step.version > version) database.execute(step.sql);
  }
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
  for (const auto& [name, sql] : differing_views(database)) {
    database.execute("DROP VIEW IF EXISTS \"" + name + "\"");
    database.execute(sql);
  }
  transaction.commit();
}

void overlay_views(Database& database) {
  if (differing_views(database).empty()) return;
  // All of them: a stored view would read the stored ones.
  for (const auto& [name, sql] : embedded_views()) {
    constexpr std::string_view kCreate = "CREATE ";
    database.execute("CREATE TEMP " + sql.substr(kCreate.size()));
  }
}

}  // namespace tailwave
