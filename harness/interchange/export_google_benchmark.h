#pragma once

#include <string>

#include "interchange/export.h"

namespace tailwave {

// The JSON that Google Benchmark 1.7 writes with --benchmark_format=json, for compare.py and other readers of it:
// one entry a repetition, whose time is the median of its samples, then mean, median, stddev and cv where there are
// several. A configuration without a time is an entry with error_occurred. Numbers are finite. tailwave measures no
// CPU time: cpu_time repeats real_time. What is not known of the host (mhz_per_cpu, caches) is left out or empty.
// Throws as require_trials.
std::string export_google_benchmark(Database& database, const ExportScope& scope);

}  // namespace tailwave
