#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"

namespace tailwave {

// Works out what the table ranking keeps: of experiments on devices that have `fewest` trials or more in their runs, whose
// ranking is missing or stale; of the experiments named alone, NAME or SYSTEM/NAME, if any are. Of a million trials that takes
// minutes, in which others may write: then what was worked out is of no use, and the ranking stays stale.
inline constexpr std::int64_t kFewestKept = 5000;
void keep_rankings(Database& database, const std::vector<std::string>& experiments = {},
                   std::int64_t fewest = kFewestKept);

// Of the experiments named, else of all: temporary tables ranking, ranking_trial and left_out_trial, which this connection's
// statements then find by these names. They have the experiments on devices with more than `most` trials, worked out where
// they are not kept, with about `most` of their trials: the best ones and the worst of each problem, of each variant the
// best, the first and the manifest's default, and an even choice of the others and of those without a value. Their places are
// those among all; left_out_trial has the ids of the others. Works on a database that is only read, too.
void choose_ranked_trials(Database& database, std::int64_t most,
                          const std::vector<std::string>& experiments = {});
void drop_ranked_trials(Database& database);

}  // namespace tailwave
