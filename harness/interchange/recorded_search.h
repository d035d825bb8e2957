#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "json/json.h"
#include "store/database.h"

namespace tailwave {

// What a recording says of searches, in "search" of a run: how the search was asked that chose what the run measured,
// and its "steps"; or {"leaders_of": place}, where another run of the recording is the search's and this one measured
// its leaders again.

// Of the run at `place` of `runs`; empty where no search chose.
nlohmann::json search_of_run(Database& database, const std::vector<std::int64_t>& runs, std::size_t place);

// Adds the searches of a recording whose runs have the ids `runs`, unless they are known, and the steps that an
// earlier recording of them did not have. Returns "chosen by a search (random) from 480 configurations", of several
// different searches joined by "; ", or "" where none chose. Throws Error (bad usage) that names the place where
// "leaders_of" is not another run that is a search of its own.
std::string import_searches(Database& database, const Json& document, const std::vector<std::int64_t>& runs);

}  // namespace tailwave
