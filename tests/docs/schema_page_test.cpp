#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "docs/markdown.h"
#include "fakes/scratch_folder.h"
#include "store/database.h"
#include "store/statement.h"

namespace tailwave::docs {
namespace {

namespace fs = std::filesystem;

struct TableComments {
  std::string table;
  std::map<std::string, std::string> columns;
};

std::string spaced(const std::string& before, const std::string& more) {
  return before.empty() || more.empty() ? before + more : before + " " + more;
}

// The text behind "--" of a line, and what is before it.
std::pair<std::string, std::string> split_comment(const std::string& line) {
  const auto dashes = line.find("--");
  if (dashes == std::string::npos) return {line, ""};
  const auto text = line.find_first_not_of(' ', dashes + 2);
  return {line.substr(0, dashes), text == std::string::npos ? "" : line.substr(text)};
}

// Reads the comments of the statements that make tables: above CREATE TABLE, behind a column, above a group of columns.
class CommentReader {
 public:
  std::map<std::string, TableComments> tables;

  void read(const fs::path& file) {
    std::istringstream lines(read_text(file));
    for (std::string line; std::getline(lines, line);) read_line(line);
  }

 private:
  void read_line(const std::string& line) {
    const auto [code, comment] = split_comment(line);
    std::smatch found;
    if (std::regex_search(code, found, std::regex(R"(^CREATE TABLE (\w+))"))) {
      table_ = found[1];
      tables[table_] = {above_, {}};
    } else if (code.starts_with(")")) {
      table_.clear();
    } else if (!table_.empty()) {
      read_columns(code, comment);
    } else {
      above_ = code.empty() && !comment.empty() ? spaced(above_, comment) : "";
      return;
    }
    above_.clear();
  }

  void read_columns(const std::string& code, const std::string& comment) {
    if (code.find_first_not_of(' ') == std::string::npos) {
      group_ = comment;
      return;
    }
    static const std::regex column(R"((?:^  |, )([a-z_]+) (?:INTEGER|REAL|TEXT))");
    for (std::sregex_iterator at(code.begin(), code.end(), column), end; at != end; ++at)
      tables[table_].columns[(*at)[1]] = comment.empty() ? group_ : comment;
    if (code.find("PRIMARY KEY") != std::string::npos) group_.clear();
  }

  std::string table_, above_, group_;
};

// The lines of comment that a view begins with.
std::string leading_comment(const std::string& sql) {
  std::istringstream lines(sql);
  std::string text;
  for (std::string line; std::getline(lines, line) && line.starts_with("--");)
    text = spaced(text, split_comment(line).second);
  return text;
}

// Text with no sign that Markdown would take for its own.
std::string plain(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex(R"(([|<*]))"), "\\$1"),
                            std::regex(R"((\w)_(\w))"), "$1\\_$2");
}

std::string table_section(Database& database, const std::string& name, const TableComments& comments) {
  std::map<std::string, std::string> leads_to;
  Statement keys = database.prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(:name)");
  keys.bind(":name", name);
  while (keys.step()) leads_to[keys.text(0)] = keys.text(1);
  std::string text =
      "### " + name + "\n\n" + plain(comments.table) + "\n\n| column | type | meaning |\n|---|---|---|\n";
  Statement columns = database.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(:name)");
  columns.bind(":name", name);
  while (columns.step()) {
    const std::string column = columns.text(0);
    const auto comment = comments.columns.find(column);
    std::string meaning = comment == comments.columns.end() ? "" : plain(comment->second);
    if (leads_to.contains(column))
      meaning = spaced("[" + leads_to[column] + "](#" + leads_to[column] + ")", meaning);
    const bool required = columns.integer(2) != 0 || columns.integer(3) != 0;
    text +=
        "| " + column + " | " + columns.text(1) + (required ? "" : ", or NULL") + " | " + meaning + " |\n";
  }
  return text + "\n";
}

std::string view_section(Database& database, const std::string& name) {
  const std::string sql = read_text(fs::path(TAILWAVE_SOURCE_DIR) / "harness/store/views" / (name + ".sql"));
  std::string text = "### " + name + "\n\n" + plain(leading_comment(sql)) + "\n\nColumns:";
  Statement columns = database.prepare("SELECT name FROM pragma_table_info(:name)");
  columns.bind(":name", name);
  for (const char* gap = " "; columns.step(); gap = ", ") text += gap + ("`" + columns.text(0) + "`");
  return text + ".\n\n";
}

std::vector<std::string> names_of(Database& database, const std::string& type) {
  Statement statement = database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = :type AND name NOT LIKE 'sqlite%' ORDER BY name");
  statement.bind(":type", type);
  std::vector<std::string> names;
  while (statement.step()) names.push_back(statement.text(0));
  return names;
}

std::string schema_version(Database& database) {
  Statement statement = database.prepare("SELECT user_version FROM pragma_user_version");
  statement.step();
  return std::to_string(statement.integer(0));
}

CommentReader all_comments() {
  const fs::path store = fs::path(TAILWAVE_SOURCE_DIR) / "harness/store";
  CommentReader comments;
  comments.read(store / "schema.sql");
  return comments;
}

TEST(SchemaPage, SaysWhatTheSqlSays) {
  const ScratchFolder scratch;
  Database database(scratch / "empty.db", Database::Mode::read_write);
  const CommentReader comments = all_comments();
  std::string page =
      "# Tables and views\n\n"
      "<!-- Made by `make docs` from the SQL in harness/store. -->\n\n"
      "Of schema version " +
      schema_version(database) +
      ". How the tables are kept, and how a number is derived from them: [the database](database.md). "
      "Questions and the queries that answer them: [cookbook](queries.md).\n\n"
      "Times are in ns where a name ends with `_ns`; dates are UTC, ISO 8601. NULL: not known, or there is "
      "none.\n\n"
      "## Tables\n\n";
  for (const std::string& name : names_of(database, "table")) {
    const auto comment = comments.tables.find(name);
    ASSERT_NE(comment, comments.tables.end()) << name;
    EXPECT_FALSE(comment->second.table.empty()) << "no comment above CREATE TABLE " << name;
    page += table_section(database, name, comment->second);
  }
  page += "## Views\n\n";
  for (const std::string& name : names_of(database, "view")) page += view_section(database, name);
  page.pop_back();
  expect_page("docs/schema.md", page);
}

}  // namespace
}  // namespace tailwave::docs
