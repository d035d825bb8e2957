#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds aggregate functions over core/statistics.h to a connection, for named queries; NULLs are skipped and no
// values give NULL:
//   median(x), quantile(x, fraction), median_low(x) and median_high(x): the 95 % interval of the median,
//   rank_correlation(x, y): Spearman's, over the pairs without NULL.
// Views must not use them, so that any SQLite program can open a database.
void add_functions(sqlite3* database);

}  // namespace tailwave
