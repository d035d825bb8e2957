#include "store/snapshot.h"

#include <sqlite3.h>

#include <memory>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/whole_file.h"
#include "store/database.h"
#include "store/statement.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using Handle = std::unique_ptr<sqlite3, Destroy<sqlite3_close_v2>>;

[[noreturn]] void refuse(const fs::path& file, sqlite3* database) {
  throw Error(Diagnostic{.file = file.string(),
                         .cause = std::string("cannot be copied: ") + sqlite3_errmsg(database)},
              Error::kRunFailed);
}

Handle open_file(const fs::path& file, int flags) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
  Handle handle(opened);
  if (status != SQLITE_OK) refuse(file, opened);
  sqlite3_busy_timeout(opened, static_cast<int>(Database::usual_lock_wait().count()));
  return handle;
}

void back_up(const fs::path& database, const fs::path& copy) {
  const Handle source = open_file(database, SQLITE_OPEN_READWRITE);  // it may have to read the log
  const Handle target = open_file(copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3_backup* const backup = sqlite3_backup_init(target.get(), "main", source.get(), "main");
  if (backup == nullptr) refuse(copy, target.get());
  sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK) refuse(database, target.get());
  if (sqlite3_exec(target.get(), "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr) != SQLITE_OK)
    refuse(copy, target.get());
}

}  // namespace

void publish_snapshot(const fs::path& database, const fs::path& scratch, const fs::path& target) {
  const fs::path copy = scratch / (target.filename().string() + ".snapshot");
  std::error_code ignored;
  fs::remove(copy, ignored);
  back_up(database, copy);
  replace_with_copy(target, copy);
  fs::remove(copy, ignored);
}

}  // namespace tailwave
