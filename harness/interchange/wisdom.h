#pragma once

#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/over_sizes.h"
#include "interchange/export.h"

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

struct Wisdom {
  std::string system, experiment, metric;
  bool maximise = false;
  std::vector<WisdomEntry> entries;         // by device, then problem
  std::vector<WisdomOverSizes> over_sizes;  // by device; empty: each entry is the best of its problem
};

// Of the current trials the best of each device and problem, host variants left out where there are kernels: by the
// objective that another tuner recorded, else by the median of the samples. The device of the scope may be empty: all
// GPUs; or a kind, e.g. "cpu". With its `over_sizes` each entry has that of the kept configurations (core/over_sizes.h) which is the
// best there, by the weights of the latest run's spec. Throws Error (kRunFailed) where none has a time, and where no so
// many configurations serve all problems of a device.
Wisdom load_wisdom(Database& database, const ExportScope& scope);

// As JSON; docs/interchange.md describes it.
std::string wisdom_json(const Wisdom& wisdom);

}  // namespace tailwave
