#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/table.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// A row of the query "launch_changes": a change of one number that cuts the work into blocks in another way.
struct LaunchChange {
  std::string experiment, device, configuration;  // "nbody/scaling"
  std::string parameter;                          // "grid": the number of blocks itself
  Cell value, new_value;
  double waves = 0, new_waves = 0;
  std::string model;  // of the configuration's grid curve; "": the rule
  double predicted_gain = 1;
  double balance_gain = 1, lanes_gain = 1, hiding_gain = 1;  // of the rule; their product is predicted_gain
  double worst_error = 0;  // of the model, on the grids of its curve that were held out
  std::optional<double> measured_gain, gain_low, gain_high;  // 95 %
  std::string measured;                                      // "not run", "faster" or how it stands
};

// `parameters`: of the query.
std::vector<LaunchChange> launch_changes(Database& database, const Values& parameters);

// A row of the query "rule_record": changes whose ends were both measured.
struct RuleRecord {
  std::string experiment, device, parameter;  // each of the first and the last may be "all"
  std::size_t changes = 0, advised = 0, faster = 0;
  std::optional<double> correlation;
};
std::vector<RuleRecord> rule_record(Database& database, const Values& parameters);

// A change from the whole grid of a curve to one that was held out when the models were fitted.
struct CurveChange {
  std::string experiment, device;
  double predicted_gain = 1, measured_gain = 1;
  double worst_error = 0;  // of the model, on the other grids that were held out
};
// Of the latest curve of each configuration, by the model that is nearest in the median of its held-out grids, to grids
// within a factor of two. Curves with fewer than 5 held-out grids say nothing.
std::vector<CurveChange> curve_changes(Database& database, const Values& parameters);

// Whether a gain is above what an error of a model on both grids could make of none.
bool beyond_error(double gain, double worst_error);

}  // namespace tailwave
