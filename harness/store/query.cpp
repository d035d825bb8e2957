// Database::query: reading SQL that a person wrote.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/database.h"

namespace tailwave {
namespace {

constexpr std::string_view kQueriesHint = "'tailwave list queries' names the ready-made queries";

// Pragmas that only tell. The first group takes no argument here: with one it sets a value.
constexpr std::array<std::string_view, 2> kTellingPragmas{"user_version", "application_id"};
constexpr std::array<std::string_view, 11> kSchemaPragmas{
    "table_info",  "table_xinfo",      "table_list",        "index_list",      "index_info",   "index_xinfo",
    "quick_check", "foreign_key_list", "foreign_key_check", "integrity_check", "database_list"};

bool tells_only(std::string_view pragma, const char* argument) {
  const auto contains = [pragma](const auto& names) {
    return std::find(names.begin(), names.end(), pragma) != names.end();
  };
  return contains(kSchemaPragmas) || (argument == nullptr && contains(kTellingPragmas));
}

// What a refused action is called in a message; "" for an action that only reads.
std::string refusal(int action, const char* first, const char* second) {
  const auto name = [](const char* text) { return text == nullptr ? std::string() : std::string(text); };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return "";
    case SQLITE_FUNCTION:
      return name(second) == "load_extension" ? "load_extension()" : "";
    case SQLITE_PRAGMA:
      return tells_only(name(first), second) ? "" : "PRAGMA " + name(first);
    case SQLITE_INSERT:
      return "INSERT into " + name(first);
    // Declaring a table-valued function such as json_each asks for this; a real UPDATE of it SQLite refuses.
    case SQLITE_UPDATE:
      return name(first) == "sqlite_master" ? "" : "UPDATE of " + name(first);
    case SQLITE_DELETE:
      return "DELETE from " + name(first);
    case SQLITE_ATTACH:
      return "ATTACH";
    case SQLITE_DETACH:
      return "DETACH";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "transactions";
    default:
      return "changes of the schema";
  }
}

// While it lives, the connection prepares nothing that writes.
class ReadOnlyGuard {
 public:
  explicit ReadOnlyGuard(sqlite3* database) : database_(database) {
    sqlite3_set_authorizer(database, &ReadOnlyGuard::authorize, this);
  }
  ~ReadOnlyGuard() { sqlite3_set_authorizer(database_, nullptr, nullptr); }
  ReadOnlyGuard(const ReadOnlyGuard&) = delete;
  ReadOnlyGuard& operator=(const ReadOnlyGuard&) = delete;

  // The first action refused; a CREATE is reported as such and not as its INSERT into sqlite_master.
  [[nodiscard]] std::string refused() const {
    return refused_.find("sqlite_") == std::string::npos ? refused_ : "changes of the schema";
  }

 private:
  static int authorize(void* self, int action, const char* first, const char* second, const char*,
                       const char*) {
    std::string reason = refusal(action, first, second);
    if (reason.empty()) return SQLITE_OK;
    auto& refused = static_cast<ReadOnlyGuard*>(self)->refused_;
    if (refused.empty()) refused = std::move(reason);
    return SQLITE_DENY;
  }

  sqlite3* database_;
  std::string refused_;
};

std::vector<std::string> names(Database& database, const std::string& sql) {
  std::vector<std::string> result;
  Statement statement = database.prepare(sql);
  while (statement.step()) result.push_back(statement.text(0));
  return result;
}

std::string suggestion(Database& database, const std::string& cause) {
  constexpr std::string_view kNoColumn = "no such column: ";
  constexpr std::string_view kNoTable = "no such table: ";
  std::string word;
  std::vector<std::string> candidates;
  if (cause.starts_with(kNoColumn)) {
    word = cause.substr(kNoColumn.size());
    if (const std::size_t dot = word.rfind('.'); dot != std::string::npos) word.erase(0, dot + 1);
    candidates =
        names(database,
              "SELECT DISTINCT info.name FROM sqlite_schema AS item, pragma_table_info(item.name) AS info "
              "WHERE item.type IN ('table', 'view') ORDER BY info.name");
  } else if (cause.starts_with(kNoTable)) {
    word = cause.substr(kNoTable.size());
    candidates =
        names(database, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name");
  } else {
    return "";
  }
  const std::string near = nearest(word, candidates);
  return near.empty() ? std::string(kQueriesHint)
                      : fmt::format("did you mean '{}'? ({})", near, kQueriesHint);
}

// The line of the SQL that SQLite points at, as excerpt and column.
[[noreturn]] void refuse_sql(std::string_view sql, const std::string& cause, int offset, std::string hint) {
  Diagnostic diagnostic{"", "query", cause, "", -1, std::move(hint)};
  if (offset >= 0 && static_cast<std::size_t>(offset) <= sql.size()) {
    const auto place = static_cast<std::size_t>(offset);
    const std::size_t before = place == 0 ? std::string_view::npos : sql.rfind('\n', place - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    diagnostic.excerpt = sql.substr(start, sql.find('\n', place) - start);
    diagnostic.column = static_cast<int>(display_width(sql.substr(start, place - start)));
  }
  throw Error(diagnostic);
}

// Only spaces, semicolons and comments: what may follow the one statement.
bool is_blank(Database& database, const char* tail) {
  sqlite3_stmt* statement = nullptr;
  std::string rest(tail);
  rest.erase(0, rest.find_first_not_of("; \t\r\n"));
  if (rest.empty()) return true;
  const int result = sqlite3_prepare_v2(database.handle(), rest.c_str(), -1, &statement, nullptr);
  const bool none = result == SQLITE_OK && statement == nullptr;
  sqlite3_finalize(statement);
  return none;
}

void check_readable(Database& database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  std::string refused;
  int result = SQLITE_OK;
  {
    const ReadOnlyGuard guard(database.handle());
    result = sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, &tail);
    refused = guard.refused();
  }
  const bool empty = statement == nullptr;
  // VACUUM INTO asks the authorizer only when it runs.
  if (!empty && refused.empty() && sqlite3_stmt_readonly(statement) == 0) refused = "writing";
  sqlite3_finalize(statement);
  if (!refused.empty())
    refuse_sql(sql, "queries may only read; this asks for " + refused, -1,
               "use the sqlite3 program to change a database");
  if (result != SQLITE_OK) {
    const std::string cause = sqlite3_errmsg(database.handle());
    const int offset = sqlite3_error_offset(database.handle());
    refuse_sql(sql, cause, offset, suggestion(database, cause));
  }
  if (empty) refuse_sql(sql, "there is no SQL in it", -1, std::string(kQueriesHint));
  if (!is_blank(database, tail))
    refuse_sql(sql, "one statement at a time", static_cast<int>(tail - sql.c_str()), "");
}

const Value* find_value(const Values& values, std::string_view parameter) {
  auto found = values.find(parameter);
  if (found == values.end()) found = values.find(parameter.substr(1));
  return found == values.end() ? nullptr : &found->second;
}

void bind_parameters(Statement& statement, const Values& parameters) {
  std::vector<std::string> known;
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement.handle()); ++i) {
    const char* const name = sqlite3_bind_parameter_name(statement.handle(), i);
    if (name == nullptr) continue;
    known.emplace_back(name + 1);
    if (const Value* value = find_value(parameters, name)) statement.bind(i, *value);
  }
  for (const auto& [given, value] : parameters) {
    const std::string name = given.starts_with(':') ? given.substr(1) : given;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest(name, known);
    std::string hint = fmt::format("did you mean '{}'?", near);
    if (near.empty())
      hint = known.empty() ? "it takes none" : fmt::format("it takes: {}", fmt::join(known, ", "));
    throw Error(Diagnostic{"", "query", fmt::format("it has no parameter '{}'", name), "", -1, hint});
  }
}

}  // namespace

Table Database::query(std::string_view sql, const Values& parameters) {
  const std::string text(sql);
  check_readable(*this, text);
  const ReadOnlyGuard guard(handle());
  Statement statement = prepare(text);
  bind_parameters(statement, parameters);
  Table table;
  for (int i = 0; i < statement.column_count(); ++i) table.columns.push_back(statement.column_name(i));
  while (statement.step()) {
    std::vector<Cell> row;
    for (int i = 0; i < statement.column_count(); ++i) row.push_back(statement.cell(i));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tailwave
