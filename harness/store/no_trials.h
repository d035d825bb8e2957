#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "store/database.h"

namespace tailwave {

// For what a database has no trials of: "FILE: no trials of experiment 'X' on device 'Y'", and a hint. `device` may
// be empty.
Diagnostic no_trials(const Database& database, const std::string& experiment, const std::string& device,
                     const std::string& hint);

// For an experiment that has nothing but what another tuner recorded, where a report is wanted.
Diagnostic only_recorded(const Database& database, const std::string& experiment);

// The same for an experiment that is none of `known`: the nearest is suggested, or those are
// named that there are.
Diagnostic unknown_experiment(const Database& database, const std::string& experiment,
                              const std::vector<std::string>& known);

}  // namespace tailwave
