#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/bootstrap.h"
#include "core/device_kind.h"
#include "core/outcome.h"
#include "core/value.h"
#include "report/sides.h"
#include "store/database.h"

namespace tailwave {

// What a side has of a configuration. A trial that was skipped since its code is that of another one has the samples
// of that one, and is correct if there are any.
struct SideTrial {
  Outcome outcome = Outcome::correct;
  DeviceKind kind = DeviceKind::cuda;  // of the device that ran it
  std::string mode, timer;             // empty where another program recorded it
  std::string metric;                  // of its run
  bool maximise = false;
  Values work;                     // of an execution
  std::optional<double> median_s;  // time of an execution
  Series costs;                    // view sample_cost: less is better
  std::string unverified;          // as of a Trial
};

// By configuration.
std::map<std::string, SideTrial> load_trials(Database& database, const Side& side);

// What is known of where runs were: name -> values. Of clocks only what does not change from one moment to the next.
using Environment = std::map<std::string, std::set<std::string>>;
Environment load_environment(Database& database, const std::vector<Side>& sides);

// "run 12 (NVIDIA H200, 2026-01-02T10:00:00Z)", "NVIDIA H200 (3 runs)", "2 experiments of before.db".
std::string describe_sides(Database& database, const std::vector<Side>& sides);

}  // namespace tailwave
