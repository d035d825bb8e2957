#pragma once

#include "core/table.h"

namespace tailwave {

// plan_table() of one device for people: a kernel whose rows are the same for two configurations or more, beside
// others that are not, has one row, at the end, with the count of its configurations for a name; a column without a
// value is left out.
Table shorten_plan(const Table& plan);

}  // namespace tailwave
