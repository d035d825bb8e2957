#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/table.h"
#include "core/value.h"
#include "store/read_only_guard.h"
#include "store/statement.h"

namespace tailwave {

class Database;

// What SQLite itself may take, of a process that has opened a database for reading alone.
inline constexpr std::size_t kMostQueryBytes = std::size_t{1} << 30U;

// What ends a query before its time.
struct QueryLimits {
  std::size_t result_bytes = std::size_t{256} << 20U;  // a larger result is an Error (bad usage)
  std::function<bool()> cancelled;  // asked often; once true, an Error (kRunFailed): "interrupted"
};

// Runs the SQL that people write, for Database::query. It stays with its connection, which calls it back.
class QueryRunner {
 public:
  explicit QueryRunner(sqlite3* connection) : connection_(connection), guard_(connection) {}
  QueryRunner(const QueryRunner&) = delete;
  QueryRunner& operator=(const QueryRunner&) = delete;

  void limit(QueryLimits limits);
  // `database`: that of the connection.
  Table run(Database& database, std::string_view sql, const Values& parameters);

 private:
  // A statement that reads and does nothing else. The same SQL is checked and prepared once.
  Statement prepare(Database& database, const std::string& sql);

  sqlite3* connection_;
  QueryLimits limits_;
  ReadOnlyGuard guard_;
  StatementCache statements_;
};

}  // namespace tailwave
