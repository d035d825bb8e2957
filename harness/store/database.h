#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/table.h"
#include "core/value.h"
#include "store/query.h"
#include "store/statement.h"

namespace tailwave {

// The name of a database that is no file, empty at first and gone with its object.
inline constexpr const char* kInMemory = ":memory:";

// One open database. Errors are thrown as Error (kRunFailed) that name the file and SQLite's cause; a busy
// database is waited for.
//
// Writers use WAL with synchronous = NORMAL: a committed transaction survives the death of the process at any
// moment, since the operating system has its pages; a power failure may lose the last ones, never half of one.
// A lost trial is measured again by the next run, so an fsync for every trial would buy nothing.
class Database {
 public:
  enum class Mode { read_write, read_only };
  // For other programs that have locked it: 10 s, or what the environment variable TAILWAVE_LOCK_WAIT_MS says. Throws
  // Error for text there that is no number.
  static std::chrono::milliseconds usual_lock_wait();

  // read_write creates missing parent folders, the file and its schema, migrates an older one and refreshes the
  // views. A database of a newer version or with other tables, one that may not be written, a damaged file or one
  // that is no database is refused with a hint; nothing is changed. read_only opens the file for reading alone, in
  // SQLite's defensive mode, and can attach no other. It needs no room and no right to write, unless a run that was cut
  // off has left results in the log beside the file.
  Database(const std::filesystem::path& file, Mode mode,
           std::chrono::milliseconds lock_wait = usual_lock_wait());

  [[nodiscard]] Statement prepare(std::string_view sql);
  void execute(std::string_view sql);  // one or more statements, no results

  // Rows of one read-only statement. Named parameters (":experiment") take their value from `parameters`, whose names
  // may leave out the colon; those not given are NULL. Throws Error (bad usage), with a suggestion for a misspelt
  // name, for SQL that is wrong, that writes or reaches outside the database (ATTACH, PRAGMA that sets,
  // load_extension), for a parameter that the statement lacks, for what fails while it runs, and for a result that is
  // too large; kRunFailed is for what the file or the machine is to blame for. The functions of store/functions.h are
  // there.
  [[nodiscard]] Table query(std::string_view sql, const Values& parameters = {});
  void limit_queries(QueryLimits limits);

  // The tables of one that was opened for reading as NAME.TABLE, for reading alone; of one open to write, outside
  // transactions. They see what they saw when they were read first, as long as a transaction lasts.
  void attach(const Database& other, std::string_view name);
  void detach(std::string_view name);

  // From now on; what is locked for longer is an Error.
  void wait_for_locks(std::chrono::milliseconds most);
  [[nodiscard]] std::chrono::milliseconds lock_wait() const { return lock_wait_; }

  [[nodiscard]] std::int64_t last_row_id() const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  std::filesystem::path file_;
  std::string address_;  // SQLite's, of a file to be read
  std::unique_ptr<sqlite3, Destroy<sqlite3_close_v2>> handle_;
  std::chrono::milliseconds lock_wait_;
  std::unique_ptr<StatementCache> statements_ = std::make_unique<StatementCache>();
  std::unique_ptr<QueryRunner> queries_;
};

// Begins IMMEDIATE; rolls back unless commit() was called.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace tailwave
