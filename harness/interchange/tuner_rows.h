#pragma once

#include <string>

#include "interchange/import.h"
#include "interchange/tuner_results.h"
#include "store/database.h"

namespace tailwave {

// Adds what the database does not have yet, inside the caller's transaction: a run on a device of kind "recorded", a
// trial for each configuration, its samples and measurements.
ImportSummary store_tuner_results(Database& database, const TunerResults& results, const std::string& file);

}  // namespace tailwave
