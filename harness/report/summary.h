#pragma once

#include <cstddef>
#include <string>

#include "core/table.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// What a run ends with.
struct RunTable {
  Table shown;
  std::string common;  // what all shown have: "variant basic, N 4096"; "" for nothing
  std::size_t configurations = 0, failures = 0;  // shown or not; failures: of them not correct
};

// The current trials of one experiment on one run device (by name), for a terminal: what tells the configurations
// apart, outcome, median time, rate, its share of the best, blocks per SM, limiter, waves. Where a median is noisy
// (report/noise.h) a column says how wide its interval is, or how few samples it has. With more rows than `most` only
// the best `most`, best first. Throws Error when there are no trials.
RunTable summary_table(Database& database, const std::string& experiment, const std::string& device,
                       std::size_t most = 20);
// The same of load_results().
RunTable summary_table(const Study& study, std::size_t most = 20);

}  // namespace tailwave
