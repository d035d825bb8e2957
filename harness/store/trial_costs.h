#pragma once

#include <cstdint>

#include "core/bootstrap.h"
#include "store/database.h"

namespace tailwave {

// What the samples of a trial cost by its experiment's metric, by repetition, in the order in which they were taken
// (view sample_cost: less is better). Those that are negative or not finite are left out: an imported file may say
// anything. Empty for a trial without samples.
Series costs_of_trial(Database& database, std::int64_t trial);

}  // namespace tailwave
