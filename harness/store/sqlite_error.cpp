#include "store/sqlite_error.h"

#include <cstring>

#include "core/error.h"
#include "store/database.h"

namespace tailwave {
namespace {

// "disk I/O error: File too large": SQLite keeps what the system said apart.
std::string with_system_error(sqlite3* database) {
  const int number = sqlite3_system_errno(database);
  const std::string cause = sqlite3_errmsg(database);
  return number == 0 ? cause : cause + ": " + std::strerror(number);
}

int primary_code(sqlite3* database) {
  return sqlite3_errcode(database) & 0xff;
}

Diagnostic describe(sqlite3* database) {
  switch (primary_code(database)) {
    case SQLITE_BUSY:
      return {.cause = "another program has locked the database",
              .hint = "try again when it has ended; nothing that is stored is lost"};
    case SQLITE_READONLY:
      return {.cause = "is read-only", .hint = "make the file and its folder writable, or name another file"};
    case SQLITE_CANTOPEN:
      return {.cause = "SQLite cannot open it",
              .hint = "make the file readable, and its folder writable: SQLite keeps files beside it"};
    case SQLITE_NOTADB:
      return {.cause = "is not a SQLite database", .hint = "name another file"};
    case SQLITE_CORRUPT:
      return {.cause = sqlite3_errmsg(database), .hint = "move the file away, or name another one"};
    case SQLITE_FULL:
      return {.cause = sqlite3_errmsg(database), .hint = "make room on its disk, then run again"};
    case SQLITE_IOERR:
      return {
          .cause = with_system_error(database),
          .hint = "look at the disk, and at what lies beside it: SQLite keeps FILE-wal and FILE-shm there"};
    default:
      return {.cause = sqlite3_errmsg(database)};
  }
}

}  // namespace

bool blames_statement(sqlite3* database) {
  switch (primary_code(database)) {
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
    case SQLITE_NOMEM:  // only of a limit: see confine() in database.cpp
      return true;
    default:
      return false;
  }
}

void throw_sqlite_error(sqlite3* database, const std::string& file) {
  Diagnostic diagnostic = describe(database);
  if (file != kInMemory) diagnostic.file = file;
  throw Error(diagnostic, Error::kRunFailed);
}

}  // namespace tailwave
