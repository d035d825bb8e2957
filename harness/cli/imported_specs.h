#pragma once

#include <set>
#include <string>

#include "store/database.h"

namespace tailwave {

// What the project's specs say was published, so that a report can show it beside what was imported, and which
// kernels its manifests name as main. The project is the working folder. A broken spec is left out here: check names it.
// Returns whose specs there are, as SYSTEM/NAME.
std::set<std::string> store_specs(Database& database);

// Of these experiments, by their names, whose recordings name published figures that the database lacks, since the
// project has no such spec: in a line; empty where there are none. `with_specs` as store_specs() returns it: a spec may
// name figures of which none is a value.
std::string without_figures(Database& database, const std::set<std::string>& experiments,
                            const std::set<std::string>& with_specs);

}  // namespace tailwave
