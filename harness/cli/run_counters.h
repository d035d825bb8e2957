#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/session.h"

namespace tailwave {

// What a run counts after it has timed everything.
struct RunCounters {
  std::string set;                   // "default" or "quick"; empty: nothing
  std::optional<std::int64_t> most;  // of each problem; none: 5
};

// `--counters` and `--counters-most`.
void add_run_counters(Command& command, RunCounters& counters);

// Counts the best configurations of each problem of the session's experiments, as many as are wanted, and the slowest
// one, and stores that. What keeps it from counting is a remark and no failure of the run, whose times it does not
// touch. The session has to have been told that it counts.
void count_leaders(Session& session, const RunCounters& counters, const Console& console);

}  // namespace tailwave
