#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "store/statement.h"

namespace tailwave::fakes {

// Another connection, which keeps everyone else from writing to the database while it lives.
class DatabaseLock {
 public:
  explicit DatabaseLock(const std::filesystem::path& file) {
    sqlite3* database = nullptr;
    const int opened = sqlite3_open(file.c_str(), &database);
    database_.reset(database);
    if (opened != SQLITE_OK ||
        sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(database));
  }

 private:
  std::unique_ptr<sqlite3, Destroy<sqlite3_close_v2>> database_;
};

}  // namespace tailwave::fakes
