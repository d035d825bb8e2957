#pragma once

#include <sqlite3.h>

namespace tailwave {

// Adds functions to a connection, for named queries: next_step(outcome, detail) of core/outcome.h, NULL for what is no
// outcome, and aggregate functions over core/statistics.h; of these NULLs are skipped and no values give NULL:
//   median(x), quantile(x, fraction), median_low(x) and median_high(x): the 95 % interval of the median,
//   rank_correlation(x, y): Spearman's, over the pairs without NULL,
//   compare_with_best(trial_id, repetition, cost, margin): that of core/bootstrap.h over the rows of a group, one a
//     sample. JSON, one object a trial: {"trial_id", "verdict" ("best", "tied", "unclear" or "slower"), "ratio" of its
//     median cost to the best's, "low" and "high" of the 95 % interval of that}, with null for what is not finite. The
//     interval does not know that the best was chosen; "slower" does. A fifth argument of 0 leaves the interval of what
//     is slower out, which takes most of the time; a sixth is TieOptions::together.
//   parameter_effects(trial_id, parameter, setting, y, pairs): importance_of() of core/importance.h over the trials of a
//     group, a row for each of their parameters; those that a trial lacks are left out. pairs: 0 leaves these out. JSON,
//     one object an effect: {"parameter", "with" (of a pair), "values", "share", "alone", "best", "of_best" (of the trial
//     with the least y), "worst_over_best" (exp of the range)}, and last the rest, which has a share alone.
// Views must not use them, so that any SQLite program can open a database.
void add_functions(sqlite3* database);

}  // namespace tailwave
