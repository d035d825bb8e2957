#pragma once

#include <string>

#include "interchange/export.h"

namespace tailwave {

// One row a sample, dropped ones included, and one with empty sample columns for a configuration without samples.
// Every parameter and problem quantity is a column of its own between `variant` and `outcome`, empty where a variant
// lacks it; one that is named like a fixed column gets the suffix "_". RFC 4180. Throws as require_trials.
std::string export_csv(Database& database, const ExportScope& scope);

}  // namespace tailwave
