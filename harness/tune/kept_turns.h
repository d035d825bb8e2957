#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "measure/candidate.h"
#include "store/result_store.h"

namespace tailwave {

// What a candidate's turns so far have left, kept for a run that goes on where this one is stopped. Unlike what a
// TrialMaker keeps it has the place of each sample among all of the run, and may be of a candidate that is done.

void keep_turns(ResultStore& store, std::int64_t run, const Candidate& candidate);

// False, and the candidate begins anew: there are none of its key, or they make no sense.
bool resume_turns(Candidate& candidate, const std::map<std::string, UnfinishedTrial>& kept);

}  // namespace tailwave
