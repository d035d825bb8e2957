#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/database.h"

namespace tailwave {

// What a schema says of a table, as far as rows can be copied by it into another database.
struct TableShape {
  // A column that holds ids of another table, itself or by way of a third: search_step.run_id refers to search, whose
  // run_id refers to run.
  struct Reference {
    std::string column, table;
    bool is_optional = false;  // may be NULL
  };

  std::string name;
  std::vector<std::string> columns;  // in their order
  std::vector<std::string> key;      // the columns of the primary key
  std::string id;                    // the key, where the table numbers its rows by itself; "": it does not
  std::vector<std::string> natural;  // the columns of its UNIQUE constraint; empty: there is none
  std::vector<Reference> references;
  std::string owner_column;  // ON DELETE CASCADE: a row is gone with what this refers to; "": with nothing
  std::string owner;         // the table that it refers to
  bool is_referred_to = false;

  [[nodiscard]] bool has(std::string_view column) const;
  // The table whose ids a column holds; "" where it holds none.
  [[nodiscard]] std::string referred(std::string_view column) const;
};

// All tables of a database, each after those that it refers to, but for what is kept of views (ranking).
std::vector<TableShape> table_shapes(Database& database);

}  // namespace tailwave
