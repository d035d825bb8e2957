#pragma once

#include <sqlite3.h>

#include <string>

namespace tailwave {

// Whether the last failure lies in the statement that was run, a wrong argument of a function say, and not in the
// file, the disk or the machine.
bool blames_statement(sqlite3* database);

// Throws Error (kRunFailed) that names the file and the cause of the connection's last failure, with a hint where a
// person can do something about it: another program's lock, missing permission, damage, a full disk.
[[noreturn]] void throw_sqlite_error(sqlite3* database, const std::string& file);

}  // namespace tailwave
