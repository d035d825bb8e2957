#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "json/json.h"
#include "store/database.h"

namespace tailwave {

// Of an experiment, a try's too, or of a system. Throw Error (bad usage) for what is none.
std::string recorded_name(const Json& place);
std::string recorded_system(const Json& place);

// Of a trial of a recording.
Configuration recorded_configuration(const Json& trial, const std::string& system);

// The ids of a recording's runs, whose devices have the ids `devices`: runs that the database has already, or new
// rows marked as recorded from `file`. A run is the same if it began at the same time and a trial of it ended at the
// same time: two that have nothing in common stay two. One that had not ended cannot go on here; it is interrupted
// since its last trial, unless a recording says more. Throws Error (bad usage) that names the place.
std::vector<std::int64_t> import_runs(Database& database, const Json& document,
                                      const std::vector<std::int64_t>& devices, const std::string& file);

// "" where all of its runs had ended.
std::string remark_of_unfinished(const Json& document);

}  // namespace tailwave
