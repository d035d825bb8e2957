#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "store/database.h"

namespace tailwave {

// What a database of a shard has of its share, that is the plan of its latest run of the experiment.
struct ShardProgress {
  std::int64_t planned = 0;                      // configurations; 0: no run has planned yet
  std::int64_t measured = 0;                     // of them with a result that counts
  std::map<std::string, std::int64_t> outcomes;  // of the measured ones, by name
};

ShardProgress shard_progress(Database& database, const std::string& system, const std::string& experiment);

// Trials that are stored, whatever became of them.
std::int64_t stored_trials(Database& database);

}  // namespace tailwave
