#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds parameter_effects(), one of the functions of store/functions.h, to a connection.
void add_importance_function(sqlite3* database);

}  // namespace tailwave
