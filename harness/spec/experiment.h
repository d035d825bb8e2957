#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/error.h"
#include "core/outcome.h"
#include "space/parameter_space.h"
#include "spec/system.h"
#include "spec/timing_mode.h"

namespace tailwave {

// One variant with the values that its parameters take here; parameters not named have their default.
struct Case {
  std::string variant;
  std::vector<Parameter> parameters;
};

struct Metric {
  std::string name;  // "time" or "<work quantity>_per_second"
  bool maximise = false;
};

// How each configuration is timed. See measure/sampler.h for the meaning of the modes.
struct MeasureSettings {
  TimingMode mode = TimingMode::isolated;
  CacheState cache = CacheState::hot;
  int samples = 20;         // per repetition, at least
  int max_samples = 100;    // per repetition; as many as `precision` takes
  double precision = 0.01;  // half the 95 % interval of the median over the median; 0: exactly `samples`
  int warmup = 3;           // executions before the first sample of a repetition
  int repetitions = 1;      // in blocks, each of which has all configurations of a group in random order
  double time_cap_s = 2.0;  // sampling of one repetition ends here even with fewer samples
  double batch_ms = 1.0;    // batched: aim at this much work per sample
  double race = 0;          // gives up on what is slower than the best by more than this share; 0: on nothing
  double deadline_s = 120;  // a call of the device that takes longer ends the configuration: timeout
  double build_deadline_s = kDefaultBuildDeadlineS;  // a build that takes longer ends it: compile_timeout

  static constexpr auto members() {
    // How long a build may take decides no result.
    return std::tuple{member("mode", &MeasureSettings::mode),
                      member("cache", &MeasureSettings::cache),
                      member("samples", &MeasureSettings::samples),
                      member("max_samples", &MeasureSettings::max_samples),
                      member("precision", &MeasureSettings::precision),
                      member("warmup", &MeasureSettings::warmup),
                      member("repetitions", &MeasureSettings::repetitions),
                      member("time_cap_s", &MeasureSettings::time_cap_s),
                      member("batch_ms", &MeasureSettings::batch_ms),
                      member("race", &MeasureSettings::race),
                      member("deadline_s", &MeasureSettings::deadline_s),
                      member<kNotKey>("build_deadline_s", &MeasureSettings::build_deadline_s)};
  }
};

// A published figure that one configuration reproduces: matched by variant and the values it names.
struct PublishedRow {
  std::string variant;
  Values parameters;  // of the variant and of the problem, those of the file's "problem" included
  double value = 0;
  std::string invalid;  // why the published figure is wrong; empty: it is not known to be
  std::string note;
};

struct Published {
  std::string study;
  std::string device;  // a device of occupancy/devices.json when it is known there
  std::string
      quantity;  // what `value` is: a metric name; "time" also where the file says step_time, run_time
  std::string unit;
  double unit_factor = 1;          // value * unit_factor is in SI units (1e9 for "1e9/s")
  std::vector<PublishedRow> rows;  // only those of this experiment
};

struct Experiment {
  std::string name;
  std::string question;
  std::filesystem::path file;
  std::string text;  // the spec as read, for the record
  System system;
  std::vector<Parameter> problem;      // values of each quantity that the spec names
  std::vector<Parameter> cpu_problem;  // instead of `problem`'s on the CPU device ("devices": {"cpu": ...})
  std::vector<Case> cases;
  std::string constraints_pointer = "/constraints";  // where the file has them
  std::vector<Expression> constraints;               // over parameters and problem; rule configurations out
  std::vector<Expression> cpu_constraints;           // further ones for the CPU device only
  Metric metric;
  MeasureSettings measure;
  std::optional<Published> published;
  Diagnostics warnings;  // what is probably not meant, but keeps nothing from running; of T1 files
};

// The folder that holds kernel_templates/: the nearest one at or above `start`. Throws Error when there is none.
std::filesystem::path find_project_root(const std::filesystem::path& start);

// The folder whose commit a run of the experiment records: its project's, else its file's.
std::filesystem::path folder_of_record(const Experiment& experiment);

// Reads and validates a spec, its system's manifest and its published file; everything wrong is appended to
// `diagnostics` and the result is empty exactly when something was. Constraints are tried on the first 10 000
// configurations too: one that cannot be evaluated there, or no configuration at all, is an error. A file that has
// ConfigurationSpace and KernelSpecification is a T1 file (spec/t1_reader.h), spec and system in one.
std::optional<Experiment> load_experiment(const std::filesystem::path& file, Diagnostics& diagnostics);

// As above; throws Error with all diagnostics.
Experiment load_experiment(const std::filesystem::path& file);

// Whether a file is one of published figures, and no experiment; false for what is no JSON.
bool is_published_file(const std::filesystem::path& file);

// Validates such a file beside the experiments that its rows name, whose specs lie in the folder above: its form, its units and what
// its rows name. Everything wrong, in these specs too, is appended to `diagnostics`; the result, the number of figures, is empty exactly
// when something was.
std::optional<std::size_t> check_published_file(const std::filesystem::path& file, Diagnostics& diagnostics);

// The *.json below a folder that may be experiments, sorted: not manifests, and none in folders named `published`. Of a
// project's folder, which holds kernel_templates/, those in its experiments/. Throws Error when it cannot be read.
std::vector<std::filesystem::path> find_specs(const std::filesystem::path& folder);

// The same for manifests (system.json), of a project's folder those in its kernel_templates/.
std::vector<std::filesystem::path> find_manifests(const std::filesystem::path& folder);

// A folder stands for its find_specs(); a file for itself. Each file once. Throws Error for what is neither and for a folder
// without specs.
std::vector<std::filesystem::path> expand_specs(const std::vector<std::filesystem::path>& paths);

// For a path that does not exist the one that does and is likely to be meant: each part of it that is not there becomes
// the nearest one (core/error.h) beside it. Empty where there is none.
std::filesystem::path near_path(const std::filesystem::path& path);

struct Enumeration {
  std::vector<Configuration>
      configurations;               // cases in spec order, problems slowest, each configuration once
  std::size_t left_out_on_cpu = 0;  // ruled out by cpu_constraints
};
inline constexpr std::size_t kMostEnumerated = 1'000'000;
// A constraint that names a parameter which a case's variant lacks does not apply to that case. Throws Error for
// a constraint that cannot be evaluated for some configuration, and for more configurations than kMostEnumerated.
Enumeration enumerate(const Experiment& experiment, bool for_cpu_device);

}  // namespace tailwave
