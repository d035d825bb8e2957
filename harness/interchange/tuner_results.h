#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial.h"
#include "interchange/exports.h"
#include "interchange/recorded.h"
#include "interchange/recorded_json.h"

namespace tailwave {

// Results in the formats of other autotuners, as they are between a file and the database: Kernel Tuner's cachefiles, and
// T4, the results format of the autotuning community. docs/interchange.md says what becomes of each field.

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
  bool launches_kernels = false;  // known of what was measured here alone
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

// Where a tuner's time went, in ms: the name in T4's `times`, and in a cachefile. "compilation_time" is the published
// schema's name, "compilation" the one that tuners write.
struct TunerPhase {
  std::string_view t4;
  std::string_view cachefile;
};
std::vector<TunerPhase> tuner_phases();
bool is_tuner_phase(std::string_view cachefile_name);

// T4's word for an outcome, Kernel Tuner's for a failure, and the outcomes for them.
std::string_view t4_invalidity(Outcome outcome);
std::optional<Outcome> outcome_of_invalidity(std::string_view invalidity);
std::string_view kernel_tuner_failure(Outcome outcome);
std::optional<Outcome> outcome_of_failure(std::string_view note);

struct TunerTimeUnit {
  std::string_view name, symbol;  // "seconds", "s"
  double in_ms = 1;
};
// By its name or symbol; none for what is no unit of time.
std::optional<TunerTimeUnit> tuner_time_unit(std::string_view unit);

// "convolution_milo-A4000-T4.json.gz" -> "convolution_milo-A4000", and its parts before and after the first '-'.
struct TunerFileName {
  std::string experiment, before, after;
};
TunerFileName tuner_file_name(const std::string& file);

// A time in ms at `place`: throws Error for one that is negative or not finite.
double tuner_time(const RecordedJson& place);
// The number at `place` of a correct result. Of the objective that it costs, and of a time that is one, it has to be above 0.
double tuner_objective(const RecordedJson& place, std::string_view name, bool is_cost);

// The documents must outlive the calls only. Throw Error (bad usage) that names the file, the JSON pointer and the cause.
TunerResults read_cachefile(const RecordedJson& document, const std::string& file);
TunerResults read_t4(const RecordedJson& document, const std::string& file);

// The current trials of one experiment on one device, in the order in which they came in, without those of host variants that
// ran elsewhere; `header` is empty for what was measured here. A configuration that was skipped because its machine code is
// another's has the other's results. Throws as require_trials() and require_one_system().
TunerResults load_tuner_results(Database& database, const ExportScope& scope);

// Adds what the database does not have yet, inside the caller's transaction: a run on a device of kind "recorded", a trial
// for each configuration, its samples and measurements.
ImportSummary store_tuner_results(Database& database, const TunerResults& results, const std::string& file);

}  // namespace tailwave
