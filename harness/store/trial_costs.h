#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/bootstrap.h"
#include "store/database.h"
#include "store/statement.h"

namespace tailwave {

// A column of sample_cost that can be compared: not NULL, finite and not negative; an imported file may say anything.
std::optional<double> cost_in(const Statement& row, int column);

// Costs by the number of their repetition, in its order.
using CostsByRepetition = std::map<std::int64_t, std::vector<double>>;
Series series_of(CostsByRepetition&& costs);

// What the samples of a trial cost by its experiment's metric, by repetition, in the order in which they were taken
// (view sample_cost: less is better). Those that are negative or not finite are left out: an imported file may say
// anything. Empty for a trial without samples.
Series costs_of_trial(Database& database, std::int64_t trial);

}  // namespace tailwave
