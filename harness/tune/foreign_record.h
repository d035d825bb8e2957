#pragma once

#include <cstddef>
#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "occupancy/foreign_time.h"
#include "store/database.h"

namespace tailwave {

// A prediction whose truth is known.
struct ComparedTime {
  ForeignTime predicted;
  double measured_ns = 0;
};

// How predictions compare with what was measured.
struct ForeignRecord {
  std::size_t compared = 0;
  std::size_t likely = 0, nearly_sure = 0;    // within the 80 % and the 95 % interval
  double median_percent = 0, percent_95 = 0;  // of the factor between the two, in percent above 1
  double rank_correlation = 0;                // NaN where there is none
  double regret = 1;  // the measured time of the best predicted over the best that was measured
};
ForeignRecord judge_foreign(const std::vector<ComparedTime>& compared);

// Of each experiment that two GPUs or more have run, how well the times on one predict those on another that were
// measured in the same mode, by what the database has; needs no compiler. Columns: experiment, source, target, basis
// (times, counters or both), configurations, median_percent, percent_95, in_80, in_95 (shares), correlation, regret;
// last, each pair of devices over all experiments, a correlation and regret left out. Parameters: experiment, system,
// device (the source or the target), each may be left out.
Table foreign_record_table(Database& database, const Values& parameters = {});

}  // namespace tailwave
