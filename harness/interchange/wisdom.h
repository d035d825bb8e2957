#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/over_sizes.h"
#include "interchange/export.h"
#include "interchange/launch_grids.h"
#include "interchange/safe_choice.h"
#include "spec/system.h"

namespace tailwave {

// The fastest known configuration of an experiment on each GPU and for each problem: what a program that uses the tuned
// kernel has to know.
struct WisdomEntry {
  std::string device;
  int compute_capability = 0;  // 90 for 9.0; 0: not known
  int sms = 0;                 // 0: not known
  Configuration configuration;
  double value = 0;        // of the metric, in SI units
  std::string unverified;  // as of a Trial
};

// What the entries of a device are where a few configurations serve all problems.
struct WisdomOverSizes {
  std::string device;
  std::vector<Configuration> kept;  // without a problem; each entry has one of them
  SizesChoice choice;
};

// What is known on a device for a choice that is never worse than the default.
struct WisdomChoice {
  std::string device;
  int compute_capability = 0;
  int sms = 0;
  SafeChoice choice;
};

struct Wisdom {
  std::string system, experiment, metric;
  bool maximise = false;
  std::vector<WisdomEntry> entries;         // by device, then problem
  std::vector<WisdomOverSizes> over_sizes;  // by device; empty: each entry is the best of its problem
  std::optional<Configuration>
      standard;                       // the default, without a problem; none: not known, and so no choices
  std::vector<WisdomChoice> choices;  // by device, those where something is known to be better than it
  std::map<std::string, std::vector<Expression>> conditions;  // of variants: conditions_of()
  std::map<std::string, GridExpressions> grids;               // of variants that have one: known_grids()
};

// Of the current trials the best of each device and problem, host variants left out where there are kernels: by the
// objective that another tuner recorded, else by the median of the samples. The device of the scope may be empty: all
// GPUs; or a kind, e.g. "cpu". With its `over_sizes` each entry has that of the kept configurations (core/over_sizes.h) which is the
// best there, by the weights of the latest run's spec. Throws Error (kRunFailed) where none has a time, and where no so
// many configurations serve all problems of a device. `manifest`: finds the system of a name, whose launches then tell waves
// of sizes that were not measured.
using FindManifest = std::function<std::optional<System>(const std::string& system)>;
Wisdom load_wisdom(Database& database, const ExportScope& scope, const FindManifest& manifest = {});

// As JSON; docs/interchange.md describes it.
std::string wisdom_json(const Wisdom& wisdom);

}  // namespace tailwave
