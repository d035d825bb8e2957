#pragma once

#include <string>

#include "store/database.h"

namespace tailwave {

// The latest self-test of each device as a section of the index; "" when there is none.
std::string selftest_section(Database& database);

}  // namespace tailwave
