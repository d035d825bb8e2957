#pragma once

#include <sqlite3.h>

#include <string>

namespace tailwave {

// Throws Error (kRunFailed) that names the file and the cause of the connection's last failure, with a hint where a
// person can do something about it: another program's lock, missing permission, damage, a full disk.
[[noreturn]] void throw_sqlite_error(sqlite3* database, const std::string& file);

}  // namespace tailwave
