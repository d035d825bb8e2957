#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/value.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// Of `known`, "name" and "system/name" of each, those to offer for a name that is none: all where one is near it, else
// the longer ones, without tries.
std::vector<std::string> experiments_to_offer(const std::string& name, std::vector<std::string> known);

// System and name of the experiments that have trials of ours, not superseded by a fresh run, or traces or grid
// curves; sorted. Without tries (spec/overrides.h), which are in no report, unless they are asked for.
std::vector<std::pair<std::string, std::string>> experiment_names(Database& database,
                                                                  bool with_tries = false);

// System and name of those that have nothing but what another tuner recorded; sorted.
std::vector<std::pair<std::string, std::string>> recorded_experiments(Database& database);

// These experiments. `wanted` names some ("shared_block_stride" or "nbody/shared_block_stride");
// empty: all but tries. Throws Error (bad usage) for a name that has none of these, with a suggestion.
std::vector<Study> load_studies(Database& database, const std::vector<std::string>& wanted = {});

// Of an experiment, named like that, what one of its run devices measured: question, metric and rows, without what
// stands beside them (standing, published figures, environment, search). Throws Error (bad usage) where it has none
// on that device.
Study load_results(Database& database, const std::string& experiment, const std::string& device);

// The same of all experiments and run devices that :experiment, :system and :device ask for, as of named queries;
// tries where :experiment is given.
std::vector<Study> load_results(Database& database, const Values& parameters);

}  // namespace tailwave
