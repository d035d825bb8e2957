#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/metric.h"
#include "core/table.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// The Pareto fronts of experiments with several objectives (core/pareto.h), from the metrics of the trials that count and
// their 95 % intervals. Host variants are compared where there are no kernels.

struct FrontRow {
  std::string configuration;
  std::vector<MetricRecord> objectives;  // in the order of the experiment's metrics; each has a value
  std::string unverified;                // as of a Trial
};

// Of one problem of an experiment on a run device.
struct Front {
  std::string experiment;  // "system/name"
  std::string device;
  Values problem;
  std::vector<std::string> objectives;  // their names
  std::size_t compared = 0;             // configurations with all objectives
  std::size_t incomplete = 0;           // correct ones that lack one, and are not compared
  std::string missing;                  // why one of these does
  std::vector<FrontRow> rows;           // the front, the best by the first objective first

  // "2 of 7 configurations are on the front of time and energy: ..."
  [[nodiscard]] std::string text() const;
};

// `parameters`: experiment, system and device, as named queries have them.
std::vector<Front> fronts(Database& database, const Values& parameters);

// For people: a row for each configuration of a front, a column for each objective, "10.4 us (10.2 us to 10.6 us)".
Table front_shown(const Front& front);

// The rows of the query "front": one for each objective of each configuration of a front.
Table fronts_table(Database& database, const Values& parameters);

}  // namespace tailwave
