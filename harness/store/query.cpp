#include "store/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/printable.h"
#include "store/database.h"
#include "store/query_hints.h"
#include "store/sqlite_error.h"

namespace tailwave {
namespace {

constexpr const char* kSmallerResultHint = "let SQL count, group or choose, or add LIMIT";

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

using OwnStatement = std::unique_ptr<sqlite3_stmt, Destroy<sqlite3_finalize>>;

// The statement, if all it does is read.
OwnStatement prepare_readable(Database& database, ReadOnlyGuard& guard, const std::string& sql) {
  sqlite3_stmt* prepared = nullptr;
  const char* tail = nullptr;
  int result = SQLITE_OK;
  {
    const ReadOnlyGuard::Watch watch(guard);
    result = sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &prepared, &tail);
  }
  OwnStatement statement(prepared);
  std::string refused = guard.refused();
  // VACUUM INTO asks the authorizer only when it runs.
  if (statement && refused.empty() && sqlite3_stmt_readonly(prepared) == 0) refused = "writing";
  if (!refused.empty())
    refuse_sql(sql, "queries may only read; this asks for " + refused, -1,
               "use the sqlite3 program to change a database");
  if (result != SQLITE_OK) {
    const std::string cause = sqlite3_errmsg(database.handle());
    const int offset = sqlite3_error_offset(database.handle());
    const SqlHint hint = hint_for(database, sql, cause);
    refuse_sql(sql, cause, hint.offset < 0 ? offset : hint.offset, hint.text);
  }
  if (!statement) refuse_sql(sql, "there is no SQL in it", -1, kNamesHint);
  if (!is_blank(database, tail))
    refuse_sql(sql, "one statement at a time", static_cast<int>(tail - sql.c_str()), "");
  return statement;
}

// As SQLite keeps the text of a statement, so that one that was prepared before is found again.
std::string without_last_spaces(std::string_view sql) {
  return std::string(sql.substr(0, sql.find_last_not_of(" \t\r\n") + 1));
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

std::size_t size_bytes(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return sizeof(Cell) + (text == nullptr ? 0 : text->size());
}

// What fails while a statement runs is its own doing, an argument that a function refuses say, unless the file or the
// machine is to blame.
bool step_query(const Database& database, const Statement& statement, const std::string& sql) {
  const int result = sqlite3_step(statement.handle());
  if (result == SQLITE_ROW || result == SQLITE_DONE) return result == SQLITE_ROW;
  if (!blames_statement(database.handle())) throw_sqlite_error(database.handle(), database.file().string());
  const bool memory = result == SQLITE_NOMEM;
  refuse_sql(sql,
             memory ? fmt::format("SQLite needs more than {} MiB of memory for it",
                                  sqlite3_hard_heap_limit64(-1) >> 20U)
                    : sqlite3_errmsg(database.handle()),
             sqlite3_error_offset(database.handle()),
             memory ? kSmallerResultHint : "while it ran on the rows of " + database.file().string());
}

}  // namespace

void QueryRunner::limit(QueryLimits limits) {
  limits_ = std::move(limits);
  constexpr int kOften = 10'000;  // steps of SQLite's machine: well below a millisecond
  const auto stop = [](void* runner) {
    return static_cast<QueryRunner*>(runner)->limits_.cancelled() ? 1 : 0;
  };
  if (limits_.cancelled)
    sqlite3_progress_handler(connection_, kOften, stop, this);
  else
    sqlite3_progress_handler(connection_, 0, nullptr, nullptr);
}

Statement QueryRunner::prepare(Database& database, const std::string& sql) {
  sqlite3_stmt* known = statements_.take(sql);
  if (known == nullptr) known = prepare_readable(database, guard_, sql).release();
  return {connection_, known, database.file().string(), statements_};
}

Table QueryRunner::run(Database& database, std::string_view sql, const Values& parameters) {
  const std::string text = without_last_spaces(sql);
  Statement statement = prepare(database, text);
  // A changed schema has it prepared again while it runs.
  const ReadOnlyGuard::Watch watch(guard_);
  bind_parameters(statement, parameters);
  Table table;
  for (int i = 0; i < statement.column_count(); ++i) table.columns.push_back(statement.column_name(i));
  std::size_t bytes = 0;
  while (step_query(database, statement, text)) {
    std::vector<Cell>& row = table.rows.emplace_back();
    bytes += sizeof(std::vector<Cell>);
    for (int i = 0; i < statement.column_count(); ++i) {
      row.push_back(statement.cell(i));
      bytes += size_bytes(row.back());
      if (bytes > limits_.result_bytes)
        refuse_sql(text, fmt::format("the result is larger than {} MiB", limits_.result_bytes >> 20U), -1,
                   kSmallerResultHint);
    }
  }
  return table;
}

}  // namespace tailwave
