#pragma once

#include <string>
#include <vector>

#include "store/database.h"

namespace tailwave {

// Results for other programs to read; store/recorded.h has the format that comes back. All take the current trials
// (view current_trial) and depend on the data alone.

// One experiment on one run device.
struct ExportScope {
  std::string experiment;
  std::string device;
  std::string system;  // may be empty where the experiment's name is unique
};

// Throws Error (bad usage) when there are several of these systems, whose experiments have one name.
void require_one_system(const ExportScope& scope, const std::vector<std::string>& systems);

// Throws Error (kRunFailed) when the scope has no trial, naming the devices that have some.
void require_trials(Database& database, const ExportScope& scope);

// One row a sample, dropped ones included, and one with empty sample columns for a configuration without samples.
// Every parameter and problem quantity is a column of its own between `variant` and `outcome`, empty where a variant
// lacks it; one that is named like a fixed column gets the suffix "_". RFC 4180. Throws as require_trials.
std::string export_csv(Database& database, const ExportScope& scope);

// The JSON that Google Benchmark 1.7 writes with --benchmark_format=json, for compare.py and other readers of it:
// one entry a repetition, whose time is the median of its samples, then mean, median, stddev and cv where there are
// several. A configuration without a time is an entry with error_occurred. Numbers are finite. tailwave measures no
// CPU time: cpu_time repeats real_time. What is not known of the host (mhz_per_cpu, caches) is left out or empty.
// Throws as require_trials.
std::string export_google_benchmark(Database& database, const ExportScope& scope);

// T4 1.0.0, the results format of the autotuning community: its published schema asks for configuration, times, invalidity and
// correctness of each result. Kernel Tuner's cachefile, as its own reader takes it. docs/interchange.md says what becomes of
// what; import_recorded() reads both back. Both throw as require_trials().
std::string export_t4(Database& database, const ExportScope& scope);
std::string export_kernel_tuner(Database& database, const ExportScope& scope);

// The latest trace and the latest curve of each configuration of an experiment on a device, as JSON text to commit; what
// import_recorded() reads. Predictions are not part of it: `tailwave curve --refit` makes them again. Throws Error
// (kRunFailed) when there is none.
std::string export_observed(Database& database, const ExportScope& scope);

}  // namespace tailwave
