#pragma once

#include <string>

#include "interchange/export.h"

namespace tailwave {

// One row a sample, dropped ones included, and one with empty sample columns for a configuration without samples.
// Every parameter and problem quantity is a column of its own between `variant` and `outcome`, empty where a variant
// lacks it. Behind the sample's own columns: `metric_value`, what the sample is worth by the experiment's metric (in SI units,
// or its own), a column for each number that programs report of samples, and one for each further metric, with the
// configuration's value. A column whose name another one has gets the suffix "_". RFC 4180. Throws as require_trials.
std::string export_csv(Database& database, const ExportScope& scope);

}  // namespace tailwave
