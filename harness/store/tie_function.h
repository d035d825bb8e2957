#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds compare_with_best(), one of the functions of store/functions.h, to a connection.
void add_tie_function(sqlite3* database);

}  // namespace tailwave
