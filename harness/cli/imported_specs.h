#pragma once

#include <set>
#include <string>

#include "store/database.h"

namespace tailwave {

// What the project's specs say was published, so that a report can show it beside what was imported, and which
// kernels its manifests name as main. The project is the working folder. A broken spec is left out here: check names it.
void store_specs(Database& database);

// Of these experiments, by their names, whose specs name published figures that the database lacks, since the project has no
// such spec: in a line; empty where there are none.
std::string without_figures(Database& database, const std::set<std::string>& experiments);

}  // namespace tailwave
