#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/outcome.h"
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

// What became of the configurations that a run was asked for, measured by it or found in the database.
struct RunOutcomes {
  std::string experiment;  // "nbody/variants"
  std::map<Outcome, std::size_t> counts;
};

// Conditions of tailwave run --fail-on: "failed", any of the outcomes that are a failure; each of these by its name;
// and "all-failed", an experiment of which some failed and none is correct.
std::vector<std::string> run_condition_names();

// Throws Error (kConditionFulfilled) for the first of the conditions `names` that is fulfilled.
void check_run_conditions(const std::vector<RunOutcomes>& experiments, const std::vector<std::string>& names);

}  // namespace tailwave
