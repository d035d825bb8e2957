#pragma once

#include <string>

#include "interchange/export.h"

namespace tailwave {

// The latest trace, curve, counters and timeline of each configuration of an experiment on a device, as
// JSON text to commit; what import_recorded() reads. Predictions are not part of it: `tailwave curve --refit` makes
// them again. Throws Error (kRunFailed) when there is none.
std::string export_observed(Database& database, const ExportScope& scope);

}  // namespace tailwave
