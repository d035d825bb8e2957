#pragma once

#include "interchange/export.h"
#include "interchange/tuner_results.h"
#include "store/database.h"

namespace tailwave {

// The current trials of one experiment on one device, in the order in which they came in, without those of host
// variants that ran elsewhere; `header` is empty for what was measured here. A configuration that was skipped because
// its machine code is another's has the other's results. Throws as require_trials() and require_one_system().
TunerResults load_tuner_results(Database& database, const ExportScope& scope);

}  // namespace tailwave
