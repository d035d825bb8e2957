#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "report/beside.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// What tuning gained: the best of each problem beside the default, beside the winners of the experiment's other problems, used at
// this one, and beside the best of each other variant.

struct Gain {
  enum class Of { standard, other_problem, other_variant };
  Of of = Of::standard;
  std::string beside;  // "default", "in place of the default", "winner of N 4096", "best of shared"
  std::string
      configuration;  // its name with this problem; "" where no configuration of the variant has a time
  const StudyRow* chosen =
      nullptr;  // a row with its variant and parameters, may be of another problem; null: none
  const StudyRow* measured =
      nullptr;                  // whose time it is: another's where that has its machine code; null: no time
  std::optional<double> times;  // as of a Beside; without samples by the metric
  std::optional<Interval> interval;
  std::string outcome;  // as of a trial, "unverified", or why there is none: "not measured"
};

struct ProblemGains {
  const StudyRow* best = nullptr;  // as DeviceStudy::best_of_problems()
  std::string problem;  // what tells it from the experiment's other problems, "N 4096"; "" where there is one
  std::string baseline_is;  // as Baseline (report/baseline.h)
  // The default (where it failed what stands in its place, then itself), then in the order of problems and of variants.
  std::vector<Gain> gains;
};

// Of each problem with a time, in their order. Rows point into `device`.
std::vector<ProblemGains> gains_of(Database& database, const Study& study, const DeviceStudy& device);

// The rows of the query "gains": a row for each Gain.
Table gains_table(Database& database, const Values& parameters);

}  // namespace tailwave
