#pragma once

#include <map>
#include <string>

#include "core/outcome.h"
#include "report/study.h"
#include "spec/experiment.h"
#include "store/database.h"
#include "tune/pipeline.h"

namespace tailwave {

// How many configurations ended how. Where the system has nothing to compare results with, those that run are
// "unverified", not "correct".
std::map<std::string, std::size_t> counts_of(const System& system,
                                             const std::map<Outcome, std::size_t>& outcomes);

// "4 correct 2 wrong_result"; "" for none.
std::string counts_text(const System& system, const std::map<Outcome, std::size_t>& outcomes);

// What became of all that a run was asked for: "4 correct 2 wrong_result, 3 from before",
// "interrupted, 2 of 6 measured: 2 correct".
std::string ended_text(const System& system, const RunSummary& summary);

// "no winner: none of 6 configurations is correct", or that none has a value of the metric and why; a line.
std::string no_winner_text(Database& database, const Experiment& experiment, const Study& study);

}  // namespace tailwave
