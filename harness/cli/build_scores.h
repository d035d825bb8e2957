#pragma once

#include <string>
#include <vector>

#include "core/table.h"
#include "tune/simulate.h"

namespace tailwave {

// Of `--order`: "asked", "built"; none named: built. Throws Error (bad usage) for one named twice.
std::vector<TellingOrder> telling_orders(const std::vector<std::string>& names);

// A row for each simulation and, where there are several spaces, for each strategy and order a row `all`: means over
// the spaces, each of which counts the same. `deviation` is the standard deviation over the seeds. Where a search was
// simulated in both orders, the rows of `built` say how much more the score is than that of `asked` with the standard
// error of the mean over the seeds, and which share of its time the search took.
Table build_scores(const std::vector<BuildSimulation>& simulations);

}  // namespace tailwave
