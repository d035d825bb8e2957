#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/prior.h"
#include "search/replay.h"
#include "store/database.h"

namespace tailwave {

// One problem of an experiment on one run device, as the database has it, to search in.
//
// Its parameters are those that take several values, by name, and "variant" first where there are several. A
// parameter that a variant lacks has its smallest value there, so that variants are neighbours; where that would make
// two configurations one, the text "-". Costs are those of the view space_cost. Of a GPU's own sweeps the knowledge
// is what `tailwave plan` tells: threads (of a block), blocks_per_sm, occupancy, waves and tail_fraction of the main
// launch, from compiled kernels, and which configurations exceed the device's limits. Features are 0 where that is
// not known. Seconds are there where building and measuring were noted of all that ran.
//
// The spaces of experiments, each named "tuning" or "nbody/tuning"; without names, all of the database. `device`:
// only of this run device (its name or its kind); empty: of all. Throws Error (bad usage), with a suggestion, for an
// experiment that has no trials (on that device).
std::vector<RecordedSpace> load_spaces(Database& database, const std::vector<std::string>& experiments,
                                       const std::string& device = "");

// What the points of a space cost in the others of `spaces`, of other devices or problems, that have the same
// parameters; null where none has any of them. `shuffle`: each point has the cost of another, drawn with that seed, as
// a check of how much is lost by knowledge that is wrong.
std::shared_ptr<const PriorCosts> costs_elsewhere(const RecordedSpace& of,
                                                  const std::vector<const RecordedSpace*>& spaces,
                                                  std::optional<std::uint64_t> shuffle = {});

}  // namespace tailwave
