#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "json/json.h"
#include "store/database.h"

namespace tailwave {

// What a recording says of a run that measured an experiment's best configurations in regimes: "regimes", and the
// "finalists" with their places. Its trials, in the list of all, have a "regime" each.

// Adds both to a run's object, if it is such a run.
void add_regimes_of_run(Database& database, std::int64_t run, nlohmann::json& object);

// Adds what the database does not have of the regimes and finalists of a recording whose runs have the ids `runs`.
// Throws Error (bad usage) that names the place.
void import_regimes(Database& database, const Json& document, const std::vector<std::int64_t>& runs);

}  // namespace tailwave
