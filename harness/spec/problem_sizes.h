#pragma once

#include <string>
#include <vector>

#include "json/json.h"
#include "spec/experiment.h"
#include "spec/reporter.h"

namespace tailwave {

// The sizes that a "problem" lists; none, and nothing reported, where it is no list. Needs system.problem.
std::vector<ProblemSize> read_sizes(const Json& problem, const System& system, Reporter& reporter);

// Each quantity with the values that it has in any of them.
std::vector<Parameter> quantities_of(const std::vector<ProblemSize>& sizes);

// What a problem counts among those of a stored spec, whose defaults are not known here: the weight of the size that
// names most of it and nothing else; 1 where the spec lists none.
double weight_in_spec(const std::string& spec_text, const Values& problem, bool on_cpu);

}  // namespace tailwave
