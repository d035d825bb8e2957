#pragma once

#include <vector>

#include "spec/experiment.h"
#include "spec/reporter.h"
#include "spec/system.h"

namespace tailwave {

// What says what is right where that is no variant: a function in Python, results that are stored, or nothing. Everything
// wrong is reported, also what is missing or has no meaning beside it. Needs the system's problem, buffers and variants.
// False: it is a variant.
bool read_other_reference(const Json& reference, System& system, Reporter& reporter);

// What can only be told once the buffers that are compared are known.
void check_other_reference(const Json& reference, const System& system, Reporter& reporter);

// Reports problems of an experiment of which no results are stored. `problem`: where it names them; of `quantities` the
// first of a name counts.
void check_stored_problem(const Json& problem, const std::vector<Parameter>& quantities, const System& system,
                          Reporter& reporter);

}  // namespace tailwave
