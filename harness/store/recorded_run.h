#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "store/database.h"
#include "store/recorded_json.h"

namespace tailwave {

// Of a trial of a recording.
Configuration recorded_configuration(const RecordedJson& trial, const std::string& system);

// The ids of a recording's runs, whose devices have the ids `devices`: runs that the database has already, or new rows marked as
// recorded from `file`. A run is the same if it began at the same time and a trial of it ended at the same time; where the two
// have no configuration in common, if it did not end at another time. Throws Error (bad usage) that names the place.
std::vector<std::int64_t> import_runs(Database& database, const RecordedJson& document,
                                      const std::vector<std::int64_t>& devices, const std::string& file);

}  // namespace tailwave
