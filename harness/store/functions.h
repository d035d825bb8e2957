#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds aggregate functions over core/statistics.h to a connection, for named queries; NULLs are skipped and no
// values give NULL:
//   median(x), quantile(x, fraction), median_low(x) and median_high(x): the 95 % interval of the median,
//   rank_correlation(x, y): Spearman's, over the pairs without NULL,
//   compare_with_best(trial_id, repetition, cost, margin): tied_with_best of core/bootstrap.h over the rows of a
//     group, one a sample. JSON, one object a trial: {"trial_id", "tied" (0 or 1), "ratio" of its median cost to the
//     best's, "low" and "high" of the 95 % interval of that}, with null for what is not finite. The interval does
//     not know that the best was chosen; "tied" does.
// Views must not use them, so that any SQLite program can open a database.
void add_functions(sqlite3* database);

// The part of it that is compare_with_best().
void add_tie_function(sqlite3* database);

}  // namespace tailwave
