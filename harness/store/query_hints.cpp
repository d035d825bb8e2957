#include "store/query_hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace tailwave {
namespace {

// Of this connection, the views that are laid over the stored ones included.
constexpr const char* kTables =
    "SELECT name FROM (SELECT name, type FROM sqlite_schema UNION SELECT name, type FROM sqlite_temp_schema)"
    " WHERE type IN ('table', 'view') ORDER BY name";

std::vector<std::string> first_column(Statement statement) {
  std::vector<std::string> texts;
  while (statement.step()) texts.push_back(statement.text(0));
  return texts;
}

std::vector<std::string> columns_of(Database& database, const std::string& table) {
  Statement statement = database.prepare("SELECT name FROM pragma_table_info(?)");
  statement.bind(1, table);
  return first_column(std::move(statement));
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where the name stands in the SQL as a word of its own, in any case; -1: nowhere.
int find_name(std::string_view sql, std::string_view name) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const auto* from = sql.begin();; ++from) {
    from = std::search(from, sql.end(), name.begin(), name.end(), same);
    if (from == sql.end()) return -1;
    const auto* const end = from + static_cast<std::ptrdiff_t>(name.size());
    if ((from == sql.begin() || !in_name(*(from - 1))) && (end == sql.end() || !in_name(*end)))
      return static_cast<int>(from - sql.begin());
  }
}

std::string did_you_mean(const std::string& name) {
  return name.empty() ? "" : fmt::format("did you mean '{}'?", name);
}

std::string column_hint(Database& database, const std::string& sql, const std::string& word) {
  std::vector<std::string> elsewhere;
  std::vector<std::string> near_by;
  std::vector<std::string> contents;
  for (const std::string& table : first_column(database.prepare(kTables))) {
    const std::vector<std::string> columns = columns_of(database, table);
    const bool named = find_name(sql, table) >= 0;
    auto& list = named ? near_by : elsewhere;
    list.insert(list.end(), columns.begin(), columns.end());
    if (named) contents.push_back(fmt::format("{} has: {}", table, fmt::join(columns, ", ")));
  }
  std::string hint = did_you_mean(nearest(word, near_by));
  if (hint.empty() && contents.empty()) hint = did_you_mean(nearest(word, elsewhere));
  if (hint.empty() && !contents.empty()) hint = fmt::format("{}", fmt::join(contents, "\n  "));
  return hint.empty() ? kNamesHint : hint;
}

// The word after `prefix`, without what stands before a dot; "" where the cause is another.
std::string word_after(std::string_view prefix, const std::string& cause) {
  if (!cause.starts_with(prefix)) return "";
  const std::string word = cause.substr(prefix.size());
  const std::size_t dot = word.rfind('.');
  return dot == std::string::npos ? word : word.substr(dot + 1);
}

}  // namespace

SqlHint hint_for(Database& database, const std::string& sql, const std::string& cause) {
  if (const std::string word = word_after("no such column: ", cause); !word.empty())
    return {-1, column_hint(database, sql, word)};
  if (const std::string word = word_after("no such table: ", cause); !word.empty()) {
    const std::string near = did_you_mean(nearest(word, first_column(database.prepare(kTables))));
    return {find_name(sql, word), near.empty() ? kNamesHint : near};
  }
  if (const std::string word = word_after("no such function: ", cause); !word.empty()) {
    const auto functions =
        first_column(database.prepare("SELECT DISTINCT name FROM pragma_function_list ORDER BY name"));
    return {find_name(sql, word), did_you_mean(nearest(word, functions))};
  }
  return {};
}

}  // namespace tailwave
