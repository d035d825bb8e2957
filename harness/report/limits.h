#pragma once

#include <optional>
#include <string>

#include "core/table.h"
#include "core/value.h"
#include "report/study.h"
#include "store/database.h"
#include "store/wave_facts.h"

namespace tailwave {

// What is known of what limits a configuration. Shares are of 1; what is not known is empty.
struct KnownLimits {
  std::string limit;  // the nearest of the manifest, and the share of its speed that was reached
  std::optional<double> limit_share;
  std::string
      unit;  // of the GPU that the counted launches drove hardest (view counter_speed_of_light), of its peak
  std::optional<double> unit_share;
  std::string stall;  // what warps waited for most (view counter_stall), of all cycles of all warps
  std::optional<double> stall_share;
  std::optional<WaveFacts> waves;  // of the main launch
  std::optional<double>
      wave_balance;         // of the same (occupancy/launch_speed.h): 1 where no SM idles in the last wave
  std::string not_counted;  // why counters that there are say nothing; "" also where nobody counted
};

// Of a trial with times; counters as read_side() (report/explained_side.h) has them.
KnownLimits limits_of(Database& database, std::int64_t trial_id);

// In a few words, only what the numbers bear: "DRAM at 91.2 % of the peak", "no unit near its peak (issue slots 41.3 %); main stall
// long_scoreboard; 1.25 waves, balance 62.5 %". A unit is near its peak from kNearPeak on (explanation_draft.h). Without
// counters "not counted" stands in their place; "" where nothing is known.
std::string limits_text(const KnownLimits& limits);

// The rows of the query "limits": one for the best of each problem.
Table limits_table(Database& database, const Values& parameters);

}  // namespace tailwave
