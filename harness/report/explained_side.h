#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/bootstrap.h"
#include "store/database.h"
#include "store/wave_facts.h"

namespace tailwave {

// What the database has of one configuration of an experiment on a device, for report/explanation.h.

// The best share of a unit's peak over all launches (view counter_speed_of_light).
struct DrivenUnit {
  std::string unit;
  double share = 0;  // of what it could have done
};

// The counters of one execution of a plan: of each launch as often as the plan has it.
struct CountedPlan {
  std::int64_t counter_run = 0;
  std::string method, counted_at, remark;
  std::string experiment;  // in which: "nbody/variants"
  bool other_run = false;  // than the times are of
  std::int64_t launches = 0;
  bool some_are_alike = false;  // one was counted for several of the same kernel and grid
  // Sums over the launches, by metric. Without those that a launch lacks, or that cannot be true (counter_value.doubt),
  // and without what does not add up ("peak_sustained", percentages). None where a value decides how many launches there are.
  std::map<std::string, double> sums;
  std::vector<DrivenUnit> units;  // the hardest driven first; without those that a launch lacks or cannot be

  [[nodiscard]] std::optional<double> sum(const std::string& metric) const;
  [[nodiscard]] const DrivenUnit* unit(const std::string& name) const;  // null: not known
};

// The longest launch of the latest trace (view trace_idle).
struct TracedSlots {
  std::string kernel;
  double busy = 0;                     // shares of the slots' time
  std::map<std::string, double> idle;  // by cause: "ramp", "quantisation", ...
  std::string cause;                   // what costs most; "": nothing does
  bool doubtful = false;               // hand_over may be another's
};

struct ExplainedSide {
  std::int64_t trial_id = 0, run_id = 0;
  std::string configuration;
  std::string mode;       // "isolated"
  std::string code_hash;  // of the machine code; "": not known
  Series times_ns;
  double median_ns = 0;
  bool on_gpu = true;
  int sms = 0;
  std::optional<WaveFacts> waves;  // of a trial on a GPU
  std::string limit;               // the tightest of the manifest
  std::optional<double> limit_share;
  std::optional<CountedPlan> counted;
  std::optional<TracedSlots> traced;
  // Why there is none, or are no sums: "" where nobody counted or traced it.
  std::string not_counted, not_traced;
};

// Of a trial with times. Counters and traces are the latest of its configuration on a device of that name; counters of
// other machine code than the trial's, traces of launches that it lacks or with other registers, and traces that say of
// themselves that tracing changed the kernel, are left out.
ExplainedSide read_side(Database& database, std::int64_t trial_id);

}  // namespace tailwave
