#pragma once

#include <set>
#include <vector>

#include "search/search.h"
#include "tune/problem_search.h"

namespace tailwave {

// The answer of a search: measures its leaders again, in a run of their own, and more of them as long as what comes
// out is worse than what the search saw of another one: a lucky sample must not be the answer. What the database shows
// to be better is measured beside them, too. `ranked`: what ran, the best first; `identical`: what has the code of
// another one, which is not measured twice. Fills in the summary's best, leaders and final run.
void choose_best(Tuning& tuning, const ProblemSpace& space, const std::vector<Evaluation>& ranked,
                 const std::set<Point>& identical, SearchSummary& summary);

}  // namespace tailwave
