#include "interchange/tuner_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace tailwave {
namespace {

constexpr std::array<TunerPhase, 10> kPhases{{{"compilation", "compile_time"},
                                              {"compilation_time", "compile_time"},
                                              {"benchmark", "benchmark_time"},
                                              {"framework", "framework_time"},
                                              {"search_algorithm", "strategy_time"},
                                              {"validation", "verification_time"},
                                              {"data", "data_time"},
                                              {"kernel_overhead", "kernel_overhead_time"},
                                              {"profiling_runs", "profiling_runs_time"},
                                              {"profiling_overhead", "profiling_overhead_time"}}};

struct Word {
  std::string_view word;
  Outcome outcome;
};

// Those that share a word: the first is what the word is read as.
constexpr std::array<Word, 11> kInvalidities{{{"correct", Outcome::correct},
                                              {"compile", Outcome::compile_error},
                                              {"compile", Outcome::compile_timeout},
                                              {"runtime", Outcome::launch_failed},
                                              {"runtime", Outcome::illegal_access},
                                              {"runtime", Outcome::out_of_memory},
                                              {"runtime", Outcome::crashed},
                                              {"timeout", Outcome::timeout},
                                              {"timeout", Outcome::given_up},
                                              {"correctness", Outcome::wrong_result},
                                              {"constraints", Outcome::exceeds_device_limit}}};

constexpr std::array<Word, 5> kFailures{{{"CompilationFailedConfig", Outcome::compile_error},
                                         {"CompilationFailedConfig", Outcome::compile_timeout},
                                         {"InvalidConfig", Outcome::exceeds_device_limit},
                                         {"RuntimeFailedConfig", Outcome::launch_failed},
                                         {"ErrorConfig", Outcome::launch_failed}}};

// Kernel Tuner's data sets misspell one. The view space_cost has them too.
constexpr std::array<TunerTimeUnit, 5> kTimeUnits{{{"milliseconds", "ms", 1},
                                                   {"miliseconds", "ms", 1},
                                                   {"seconds", "s", 1e3},
                                                   {"microseconds", "us", 1e-3},
                                                   {"nanoseconds", "ns", 1e-6}}};

template <class Words>
std::optional<Outcome> outcome_of(const Words& words, std::string_view word) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word& known) { return known.word == word; });
  return found == words.end() ? std::nullopt : std::optional(found->outcome);
}

template <class Words>
std::string_view word_of(const Words& words, Outcome outcome, std::string_view otherwise) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word& known) { return known.outcome == outcome; });
  return found == words.end() ? otherwise : found->word;
}

void drop_ending(std::string& text, std::string_view ending) {
  if (text.size() > ending.size() && text.ends_with(ending)) text.erase(text.size() - ending.size());
}

}  // namespace

std::vector<TunerPhase> tuner_phases() {
  return {kPhases.begin(), kPhases.end()};
}

bool is_tuner_phase(std::string_view cachefile_name) {
  return std::any_of(kPhases.begin(), kPhases.end(),
                     [&](const TunerPhase& phase) { return phase.cachefile == cachefile_name; });
}

std::string_view t4_invalidity(Outcome outcome) {
  return word_of(kInvalidities, outcome, "runtime");
}

std::optional<Outcome> outcome_of_invalidity(std::string_view invalidity) {
  return outcome_of(kInvalidities, invalidity);
}

std::string_view kernel_tuner_failure(Outcome outcome) {
  return word_of(kFailures, outcome, "RuntimeFailedConfig");
}

std::optional<Outcome> outcome_of_failure(std::string_view note) {
  return outcome_of(kFailures, note);
}

std::optional<TunerTimeUnit> tuner_time_unit(std::string_view unit) {
  const auto* const found =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                   [&](const TunerTimeUnit& known) { return known.name == unit || known.symbol == unit; });
  return found == kTimeUnits.end() ? std::nullopt : std::optional(*found);
}

TunerFileName tuner_file_name(const std::string& file) {
  TunerFileName name{.experiment = std::filesystem::path(file).filename().string()};
  for (const char* ending : {".gz", ".json", "-T4", "_T4"}) drop_ending(name.experiment, ending);
  const std::size_t dash = name.experiment.find('-');
  name.before = name.experiment.substr(0, dash);
  if (dash != std::string::npos) name.after = name.experiment.substr(dash + 1);
  return name;
}

double tuner_time(const Json& place) {
  const double time = place.real();
  if (!std::isfinite(time)) place.refuse("a time must be finite");
  if (time < 0) place.refuse("a time cannot be negative");
  return time;
}

double tuner_objective(const Json& place, std::string_view name, bool is_cost) {
  if (!place.is_number()) place.refuse("must be a number");
  const bool is_time = name == "time";
  const double value = is_time ? tuner_time(place) : place.real();
  if (!(value > 0) && (is_cost || is_time))
    place.refuse(fmt::format("the objective '{}' of a correct result has to be above 0", name),
                 "give what was measured, or the failure");
  return value;
}

}  // namespace tailwave
