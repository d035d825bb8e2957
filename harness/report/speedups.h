#pragma once

#include "core/table.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// The rows of the query "speedup": of each configuration with a value how many times better it is than the baseline of its problem
// among those that it competes with (report/baseline.h), or than the best one of the variant `:baseline`, which may have run on
// another device; and of the steps of a ladder, than the step before.
Table speedup_table(Database& database, const Values& parameters);

}  // namespace tailwave
