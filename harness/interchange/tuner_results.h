#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/outcome.h"

namespace tailwave {

// Results in the formats of other autotuners, as they are between a file and the database: Kernel Tuner's cachefiles,
// and T4, the results format of the autotuning community. docs/interchange.md says what becomes of each field.

// Something that a tuner says of a whole configuration; a row of the table `measurement`.
struct TunerMeasurement {
  std::string name;  // as a cachefile calls it: "time", "GFLOP/s", "compile_time"
  double value = 0;
  std::string unit;        // "ms"; may be empty
  bool objective = false;  // what was optimised
};

struct TunerTrial {
  Configuration configuration;
  Outcome outcome = Outcome::correct;
  std::string detail;     // of a failure: the tuner's word for it
  std::string timestamp;  // as the file has it; may be empty
  std::vector<double> times_ms;
  std::vector<TunerMeasurement> measurements;
  std::string unverified;  // as of a Trial
  std::int64_t peers = 0;  // whom it is ranked among: current_trial.peers
};

struct TunerResults {
  std::string tuner_format;  // "t4" or "kernel-tuner"
  std::string system, experiment, device;
  std::vector<std::string> objectives;
  std::string metric = "time";  // of the run: its first objective, where another tuner recorded it
  bool maximise = false;
  std::string header;       // JSON text: all of the file that is not a result
  bool unfinished = false;  // the file of a run in progress
  std::vector<TunerTrial> trials;
};

inline constexpr std::string_view kTunerVariant = "recorded";  // of their configurations
// tailwave's own: in T4's metadata, in a cachefile beside its other keys. Why nothing says whether results are right.
inline constexpr const char* kUnverifiedKey = "unverified";

}  // namespace tailwave
