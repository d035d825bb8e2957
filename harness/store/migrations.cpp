#include "store/migrations.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "core/error.h"
#include "store/embedded.h"
#include "store/sqlite_error.h"
#include "store/statement.h"
#include "store/views.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const Database& database, const std::string& cause, const std::string& hint) {
  throw Error(Diagnostic{database.file().string(), "", cause, "", -1, hint}, Error::kRunFailed);
}

constexpr const char* kImportAgain =
    "recorded results can be imported again into a new database: 'tailwave import FILE... --db NEW'";

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
    refuse(database, "is a database of another program", "name another file");
  if (version < 0 || version > newest) {
    refuse(database,
           fmt::format("has schema version {}, but this tailwave knows versions up to {}", version, newest),
           kImportAgain);
  }
  return version;
}

// SQL that means the same is the same then.
std::string without_comments(const std::string& sql) {
  std::istringstream lines(sql);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find("--")));
    for (std::string word; words >> word;) text += word + ' ';
  }
  return text;
}

// Tables, indices and triggers, by name.
using Schema = std::map<std::string, std::string>;

Schema schema_of(sqlite3* database, const std::string& file) {
  Statement statement(
      database, "SELECT name, sql FROM sqlite_schema WHERE type <> 'view' AND name NOT LIKE 'sqlite%'", file);
  Schema schema;
  while (statement.step()) schema[statement.text(0)] = without_comments(statement.text(1));
  return schema;
}

Schema schema_of(std::span<const Migration> steps) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(kInMemory, &opened);
  const std::unique_ptr<sqlite3, Destroy<sqlite3_close_v2>> database(opened);
  if (result != SQLITE_OK) throw_sqlite_error(opened, kInMemory);
  for (const Migration& step : steps)
    if (sqlite3_exec(opened, std::string(step.sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      throw_sqlite_error(opened, kInMemory);
  return schema_of(opened, kInMemory);
}

// Throws Error unless the database has all of this schema. Until a release schema 1 changes in place, so that its version
// alone does not say so.
void require_schema(Database& database, const Schema& ours, int version) {
  const Schema stored = schema_of(database.handle(), database.file().string());
  for (const auto& [name, sql] : ours) {
    const auto found = stored.find(name);
    if (found != stored.end() && found->second == sql) continue;
    refuse(database,
           fmt::format("has schema version {}, but of another tailwave: '{}' {}", version, name,
                       found == stored.end() ? "is missing" : "is defined otherwise"),
           kImportAgain);
  }
}

// They run by themselves when something is written.
void refuse_foreign_triggers(Database& database, const Schema& ours) {
  Statement statement = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
  while (statement.step())
    if (!ours.contains(statement.text(0)))
      refuse(database, fmt::format("has a trigger '{}' that tailwave did not make", statement.text(0)),
             "drop it, or name another file");
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
         "the database is damaged; name another file");
}

}  // namespace

std::span<const Migration> migrations() {
  static const std::array<Migration, 1> steps{{{1, embedded::store::file("schema.sql")}}};
  return steps;
}

void migrate(Database& database, std::span<const Migration> steps) {
  const int newest = steps.back().version;
  if (checked_version(database, newest) == newest) {
    const Schema ours = schema_of(steps);
    require_schema(database, ours, newest);
    return refuse_foreign_triggers(database, ours);
  }
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
  if (version == newest) return require_schema(database, schema_of(steps), newest);
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
  database.execute("UPDATE ranking SET stale = 1");  // which may have been worked out by other views
  transaction.commit();
}

void overlay_views(Database& database) {
  if (differing_views(database).empty()) return;
  // Which was worked out by other views.
  database.execute("CREATE TEMP TABLE ranking AS SELECT * FROM main.ranking WHERE false");
  // All of them: a stored view would read the stored ones.
  for (const View& view : program_views()) {
    constexpr std::string_view kCreate = "CREATE ";
    database.execute("CREATE TEMP " + view.sql.substr(kCreate.size()));
  }
}

}  // namespace tailwave
