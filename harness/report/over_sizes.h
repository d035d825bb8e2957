#pragma once

#include <string>
#include <vector>

#include "core/metric.h"
#include "core/over_sizes.h"
#include "core/table.h"
#include "store/database.h"

namespace tailwave {

// One answer for the sizes that an experiment was measured with on one device (core/over_sizes.h), of the trials that
// count. Host variants are compared where there are no kernels.
struct OverSizesOf {
  std::string experiment;  // "system/name"
  std::string device;
  bool maximise = false;
  OverSizes answer;
};

// `parameters`: experiment, system, device, keep (1) and goal ("mean" or "worst"), as named queries have them. Of
// experiments with several sizes; some may keep nothing.
std::vector<OverSizesOf> answers_over_sizes(Database& database, const Values& parameters);

// The rows of the query "over_sizes": one for each size where something is kept.
Table over_sizes_table(Database& database, const Values& parameters);

// A metric in SI units of what a cost stands for in this file.
inline double value_of_cost(double cost, bool maximise) {
  return maximise ? 1 / cost : cost;
}

}  // namespace tailwave
