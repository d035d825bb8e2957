#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds additive_residual(), one of the functions of store/functions.h, to a connection.
void add_additive_function(sqlite3* database);

}  // namespace tailwave
