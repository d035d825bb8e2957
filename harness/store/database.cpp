#include "store/database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/printable.h"
#include "store/functions.h"
#include "store/migrations.h"
#include "store/sqlite_error.h"

namespace tailwave {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& cause, const std::string& hint,
                         Error::Status status = Error::kRunFailed) {
  throw Error(Diagnostic{file.string(), "", cause, "", -1, hint}, status);
}

// Everything that can be said before SQLite is asked.
void prepare_path(const std::filesystem::path& file, Database::Mode mode) {
  if (file == kInMemory) return;
  if (file.empty())
    refuse(file, "the name of the database is empty", "name a file with --db", Error::kBadUsage);
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    refuse(file, "is a folder, not a database", "name a file in it", Error::kBadUsage);
  if (std::filesystem::is_other(file, error))
    refuse(file, "is a device or pipe, not a database", "name a file with --db", Error::kBadUsage);
  if (mode == Database::Mode::read_only) {
    if (!std::filesystem::exists(file, error))
      refuse(file, "there is no such database", "'tailwave run' makes one; --db names another",
             Error::kBadUsage);
    return;
  }
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::filesystem::create_directories(folder, error);
  if (error) refuse(file, "cannot create its folder: " + error.message(), "name another file");
  // SQLite keeps files beside it, and without them says no more than that it cannot open the database.
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(file, std::string("its folder cannot be written: ") + std::strerror(errno),
           "make it writable, or name another file");
}

// SQLite calls no busy handler for this change, which needs the database for itself for a moment.
void use_write_ahead_log(Database& database) {
  const auto deadline = std::chrono::steady_clock::now() + database.lock_wait();
  constexpr std::chrono::milliseconds kPause(5);
  while (true) {
    const int result =
        sqlite3_exec(database.handle(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (result == SQLITE_OK) return;
    const bool busy = (result & 0xff) == SQLITE_BUSY;
    if (!busy || std::chrono::steady_clock::now() > deadline)
      throw_sqlite_error(database.handle(), database.file().string());
    std::this_thread::sleep_for(kPause);
  }
}

using Handle = std::unique_ptr<sqlite3, Destroy<sqlite3_close_v2>>;

// `address`: a path, or with SQLITE_OPEN_URI more than that.
Handle open_handle(const std::string& address, int flags, const std::filesystem::path& file) {
  sqlite3* database = nullptr;
  const int result = sqlite3_open_v2(address.c_str(), &database, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Handle handle(database);
  if (result != SQLITE_OK) throw_sqlite_error(database, file.string());
  return handle;
}

// Whether SQLite cannot read it for want of the files that it keeps beside a database: on a full disk, a file system
// that is read-only, or in a folder that may not be written.
bool lacks_files_beside(sqlite3* database) {
  if (sqlite3_exec(database, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr) == SQLITE_OK)
    return false;
  const int code = sqlite3_errcode(database) & 0xff;
  return code == SQLITE_CANTOPEN || code == SQLITE_IOERR;
}

// A log has what is not in the database yet: without it, results would be missing.
bool has_log(const std::filesystem::path& place) {
  std::error_code error;
  const auto size = std::filesystem::file_size(place.string() + "-wal", error);
  return !error && size > 0;
}

// `how`: "mode=ro", or "immutable=1" of a file that nobody writes meanwhile, which needs no other beside it.
std::string address_of(const std::filesystem::path& place, const char* how) {
  return "file:" + replace_characters(place.string(), {{'%', "%25"}, {'?', "%3f"}, {'#', "%23"}}) + "?" + how;
}

// Says the address by which it was opened.
Handle open_to_read(const std::filesystem::path& place, const std::filesystem::path& file,
                    std::string& address) {
  address = address_of(place, "mode=ro");
  Handle handle = open_handle(address, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, file);
  if (!lacks_files_beside(handle.get()) || has_log(place)) return handle;
  address = address_of(place, "immutable=1");
  return open_handle(address, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, file);
}

// What no query needs. SQLITE_DBCONFIG_TRUSTED_SCHEMA stays on: SQLite 3.40 then refuses json_extract() in views.
// What views call, Database::query looks at as at other SQL.
void confine(sqlite3* database) {
  constexpr int kMostTextBytes = 1 << 26;  // of one value or row
  constexpr int kMostSqlBytes = 1 << 20;
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostTextBytes);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, kMostSqlBytes);
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(kMostQueryBytes));
}

}  // namespace

std::chrono::milliseconds Database::usual_lock_wait() {
  constexpr int kUsualMs = 10'000;
  const char* const setting = std::getenv("TAILWAVE_LOCK_WAIT_MS");
  if (setting == nullptr) return std::chrono::milliseconds(kUsualMs);
  const std::string_view text = setting;
  int wait_ms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wait_ms);
  if (error != std::errc() || end != text.data() + text.size() || wait_ms < 0)
    throw Error(
        Diagnostic{"", "TAILWAVE_LOCK_WAIT_MS", fmt::format("'{}' is no number of milliseconds", text), "",
                   -1, "for example 10000"},
        Error::kBadUsage);
  return std::chrono::milliseconds(wait_ms);
}

Database::Database(const std::filesystem::path& file, Mode mode, std::chrono::milliseconds lock_wait)
    : file_(file), lock_wait_(lock_wait) {
  prepare_path(file, mode);
  // With its folder, so that SQLite takes no name for an address ('file:...') of something else.
  const std::filesystem::path place = file == kInMemory ? file : std::filesystem::absolute(file);
  handle_ =
      mode == Mode::read_only
          ? open_to_read(place, file, address_)
          : open_handle(place.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, file);
  sqlite3* const database = handle_.get();
  // SQLite opens a file that it may not write for reading alone.
  if (mode == Mode::read_write && sqlite3_db_readonly(database, "main") == 1)
    refuse(file, "is read-only", "make the file writable, or name another one");
  sqlite3_extended_result_codes(database, 1);
  wait_for_locks(lock_wait);
  add_functions(database);
  queries_ = std::make_unique<QueryRunner>(database);
  // The first read is where SQLite looks into the file.
  execute("SELECT count(*) FROM sqlite_schema");
  execute("PRAGMA foreign_keys = ON");
  if (mode == Mode::read_only) {
    require_version(*this, migrations());
    overlay_views(*this);
    confine(handle_.get());
    return;
  }
  // Before journal_mode, which would change a database that is not ours.
  migrate(*this, migrations());
  use_write_ahead_log(*this);
  execute("PRAGMA synchronous = NORMAL");
  // Moving what was written into the database waits for the disk: after 16 MiB, not 4, and when it is closed.
  execute("PRAGMA wal_autocheckpoint = 4096");
  refresh_views(*this);
}

Statement Database::prepare(std::string_view sql) {
  return {handle_.get(), sql, file_.string(), statements_.get()};
}

void Database::execute(std::string_view sql) {
  if (sqlite3_exec(handle_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw_sqlite_error(handle_.get(), file_.string());
}

Table Database::query(std::string_view sql, const Values& parameters) {
  return queries_->run(*this, sql, parameters);
}

void Database::limit_queries(QueryLimits limits) {
  queries_->limit(std::move(limits));
}

void Database::attach(const Database& other, std::string_view name) {
  prepare("ATTACH ? AS " + std::string(name)).bind_all(other.address_).run();
}

void Database::detach(std::string_view name) {
  execute("DETACH " + std::string(name));
}

void Database::wait_for_locks(std::chrono::milliseconds most) {
  lock_wait_ = most;
  sqlite3_busy_timeout(handle(), static_cast<int>(most.count()));
}

std::int64_t Database::last_row_id() const {
  return sqlite3_last_insert_rowid(handle_.get());
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // Fails harmlessly where an error has rolled back already.
  if (!done_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  done_ = true;
}

}  // namespace tailwave
