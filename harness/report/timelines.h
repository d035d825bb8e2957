#pragma once

#include <cstdint>

#include "core/table.h"
#include "store/database.h"

namespace tailwave {

// What a stored timeline says, for a terminal: a row for each kernel, copy and fill by name on each GPU, with how often it
// ran, its time in all, that as a share of the time from the first begin to the last end, and its longest; then how much of
// that time nothing ran there, and two or more did.
Table timeline_table(Database& database, std::int64_t timeline);

}  // namespace tailwave
