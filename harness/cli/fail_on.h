#pragma once

#include <string>
#include <vector>

#include "report/comparison.h"

namespace tailwave {

// Conditions of tailwave compare --fail-on: "slower", "failed", "missing", "unclear", "any-difference".
std::vector<std::string> condition_names();

// "--fail-on slower: 2 of 6 configurations could not be judged\n" for each condition of which that is so: correct in
// A, they are not in B, have too few samples or are not comparable.
std::string not_judged(const SideComparison& comparison, const std::vector<std::string>& names);

// Throws Error (kConditionFulfilled) for the first of the conditions `names` that a configuration fulfils, or an
// experiment that only A has. Else Error (bad usage) where an experiment has nothing that a condition could judge,
// since it would then be fulfilled by nothing, ever: no configuration on both sides that is correct on one of them,
// or for all but "failed" and "missing" none whose times can be compared; and where the sides have no experiment in
// common.
void check_conditions(const SideComparison& comparison, const std::vector<std::string>& names);

}  // namespace tailwave
