#pragma once

#include <string>

#include "store/database.h"

namespace tailwave {

// What is said beside SQLite's own words for SQL that it does not understand.
struct SqlHint {
  int offset = -1;   // of the word that is wrong, in bytes; -1: no better place than SQLite's
  std::string text;  // may be empty
};

// cause: SQLite's message. For an unknown column the nearest one, first of the tables and views that the SQL names, or
// else what those have; for an unknown table, view or function the nearest one.
SqlHint hint_for(Database& database, const std::string& sql, const std::string& cause);

// Where the ready-made queries and the views are named.
inline constexpr const char* kNamesHint =
    "'tailwave list queries' and 'tailwave list views' name what there is";

}  // namespace tailwave
