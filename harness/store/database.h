#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/table.h"
#include "core/value.h"

namespace tailwave {

// Deleter that calls a C library's own destroy function.
template <auto destroy>
struct Destroy {
  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    destroy(handle);
  }
};

class Statement;

// One open database. Errors are thrown as Error (kRunFailed) that name the file and SQLite's cause; a busy
// database is waited for up to 10 s.
class Database {
 public:
  enum class Mode { read_write, read_only };

  // Creates or migrates the schema (user_version) and refreshes the views in read_write mode. A database of a
  // newer version, a damaged file or one that is not a database is refused with a hint; nothing is changed.
  Database(const std::filesystem::path& file, Mode mode);

  [[nodiscard]] Statement prepare(std::string_view sql);
  void execute(std::string_view sql);  // one or more statements, no results
  // Rows of a read-only query with named parameters (":experiment"); throws Error on anything that writes.
  [[nodiscard]] Table query(std::string_view sql, const Values& parameters = {});
  [[nodiscard]] std::int64_t last_row_id() const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Destroy<sqlite3_close_v2>> handle_;
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
