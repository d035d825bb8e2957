#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/outcome.h"
#include "json/json.h"

namespace tailwave {

inline constexpr double kMsPerSecond = 1e3;  // Kernel Tuner and T4 give times in ms

// The words of other tuners, and what they are here.

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
double tuner_time(const Json& place);
// The number at `place` of a correct result. Of the objective that it costs, and of a time that is one, it has to be
// above 0.
double tuner_objective(const Json& place, std::string_view name, bool is_cost);

}  // namespace tailwave
