#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tailwave::faults {

struct Subject {
  std::filesystem::path tailwave, shim;
  std::string device;               // that runs measure on
  std::filesystem::path cache;      // with all that a run compiles
  double warm_ms = 0, cold_ms = 0;  // that a run takes with this cache, and with an empty one
  std::filesystem::path folder;     // rounds have theirs in it
};

struct RoundResult {
  std::string fault;  // and what it was aimed at
  bool struck = false;
  std::string wrong;  // ""; or what is, and where the round's files are
};

// One fault at one moment, both known by seed and number, of one run, and the same run again without it. To be called
// in a process that has no other children and adopts what loses its parent.
RoundResult play_round(const Subject& subject, std::uint64_t seed, int number);

// How long a run takes without any fault, in milliseconds; fills the cache. Throws std::runtime_error when it fails.
double time_run(const Subject& subject, bool cold);

}  // namespace tailwave::faults
