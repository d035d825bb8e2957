#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"

namespace tailwave {

// Works out what the table ranking keeps, for experiments on devices with so many trials whose ranking is missing or stale.
// Of a million trials that takes minutes. In one transaction.
inline constexpr std::int64_t kFewestKept = 5000;
void keep_rankings(Database& database, std::int64_t fewest = kFewestKept);

// Of the experiments named, else of all: temporary tables ranking, ranking_trial and left_out_trial, which this connection's statements then find by these names: experiments on
// devices with more than `most` trials, worked out where they are not kept, with about `most` of their trials: of each problem the
// best ones and the worst, and an even choice of the others and of those without a value. Their places are those
// among all; left_out_trial has the ids of the others. Works on a database that is only read, too.
void choose_ranked_trials(Database& database, std::int64_t most,
                          const std::vector<std::string>& experiments = {});

// A condition on the columns system and experiment: of experiments by NAME or SYSTEM/NAME; none: of all.
std::string is_one_of(const std::vector<std::string>& experiments);

}  // namespace tailwave
