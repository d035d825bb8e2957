#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/table.h"
#include "store/database.h"
#include "store/table_shape.h"

namespace tailwave::samples {

// All rows of a database as text, sorted and without ids: a column that refers to another table has the row that it
// refers to. Of two databases with the same rows it is the same.
class WholeDatabase {
 public:
  explicit WholeDatabase(Database& database) : tables_(table_shapes(database)) {
    for (const TableShape& table : tables_) read(database, table);
  }

  // A row a line; of the columns `left_out` nothing.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& row : rows_) text += row + "\n";
    return text;
  }
  [[nodiscard]] std::size_t rows_of(const std::string& table) const {
    const auto found = counts_.find(table);
    return found == counts_.end() ? 0 : found->second;
  }
  [[nodiscard]] const std::vector<TableShape>& tables() const { return tables_; }

 private:
  void read(Database& database, const TableShape& table) {
    Statement row = database.prepare("SELECT * FROM \"" + table.name + "\"");
    while (row.step()) {
      std::string line;
      std::string id;
      for (int i = 0; i < row.column_count(); ++i) {
        const std::string column = row.column_name(i);
        const std::string value = row.is_null(i) ? "NULL" : row.text(i);
        if (column == table.id) {
          id = value;
          continue;
        }
        // Where it was merged from depends on the way that it took.
        if (column == "merged_from") continue;
        const std::string referred = table.referred(column);
        line += fmt::format(
            " {}={}", column,
            referred.empty() || value == "NULL" ? value : "{" + known_.at(referred).at(value) + "}");
      }
      if (!id.empty()) known_[table.name][id] = line;
      rows_.insert(table.name + ":" + line);
      ++counts_[table.name];
    }
  }

  std::vector<TableShape> tables_;
  std::map<std::string, std::map<std::string, std::string>> known_;  // by table and id
  std::multiset<std::string> rows_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace tailwave::samples
