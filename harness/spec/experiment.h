#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/outcome.h"
#include "space/parameter_space.h"
#include "spec/regime.h"
#include "spec/system.h"
#include "spec/timing_mode.h"

namespace tailwave {

// One variant with the values that its parameters take here; parameters not named have their default.
struct Case {
  std::string variant;
  std::vector<Parameter> parameters;
};

// One problem of a list.
struct ProblemSize {
  Values problem;     // all quantities
  double weight = 1;  // what it counts where one answer is wanted for all (core/over_sizes.h)
};

// What is best, or is shown beside it.
struct Metric {
  std::string name;  // "time", "<work quantity>_per_second", or of its own where there is a `value`
  bool maximise = false;
  // Over problem, parameters that all variants have, work, rate_names(), measured_names() (spec/metric_reader.h) and
  // the names of `counters`, and what programs report (System::reported).
  std::optional<Expression> value = {};
  std::string unit = {};                             // of `value`, for people; may be empty
  std::map<std::string, std::string> counters = {};  // name -> counter, as "dram__bytes_read.sum"
  bool self_reported = false;                        // `value` names what programs report
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
  // An execution that takes more than this many times what the best does is the only one: given_up; 0: none is. Where
  // nothing is said, none in a run, and 10 in a search.
  std::optional<double> give_up = {};
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
                      member("give_up", &MeasureSettings::give_up),
                      member("deadline_s", &MeasureSettings::deadline_s),
                      member<kNotKey>("build_deadline_s", &MeasureSettings::build_deadline_s)};
  }
};

// How the energy of the best configurations is measured (tune/energy.h).
struct EnergySettings {
  double window_s = 2;    // in which the counter of energy is seen, at least
  std::int64_t most = 5;  // the best of each problem
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
  // Instead of combinations of values. Where either is a list, the CPU device has only what is said for it.
  std::vector<ProblemSize> sizes, cpu_sizes;
  std::vector<Case> cases;
  std::string constraints_pointer = "/constraints";  // where the file has them
  std::vector<Expression> constraints;               // over parameters and problem; rule configurations out
  std::vector<Expression> cpu_constraints;           // further ones for the CPU device only
  Metric metric;                                     // what is optimised
  std::vector<Metric> further_metrics;               // what is shown beside it
  std::vector<std::string> objectives;  // metrics whose Pareto front is asked for; none, or two and more
  MeasureSettings measure;
  std::optional<EnergySettings> energy;  // none: nobody asks for it
  std::vector<Regime> regimes;           // in which the best are measured again
  std::optional<Published> published;
  Diagnostics warnings;  // what is probably not meant, but keeps nothing from running

  [[nodiscard]] bool has_cpu_problem() const { return !cpu_problem.empty() || !cpu_sizes.empty(); }
};

}  // namespace tailwave
