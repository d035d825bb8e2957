#pragma once

#include <string>

#include "interchange/export.h"

namespace tailwave {

// T4 1.0.0, the results format of the autotuning community: its published schema asks for configuration, times,
// invalidity and correctness of each result. Kernel Tuner's cachefile, as its own reader takes it.
// docs/interchange.md says what becomes of what; import_recorded() reads both back. Both throw as require_trials().
std::string export_t4(Database& database, const ExportScope& scope);
std::string export_kernel_tuner(Database& database, const ExportScope& scope);

}  // namespace tailwave
