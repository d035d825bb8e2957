#pragma once

#include <filesystem>
#include <string>

#include "interchange/import.h"
#include "store/database.h"

namespace tailwave {

// What a file of Nsight Compute, which knows nothing of experiments, is about.
struct NcuScope {
  std::string experiment;      // "nbody/variants" or "variants"; empty: any
  std::string device;          // its name; empty: the only one that ran what fits
  std::string configurations;  // as spec/select.h has it; empty: any
};

// Adds the counters of a file that `ncu --csv` printed to the configurations whose launches have its kernels, grids and
// blocks: those of the current trials that are correct, on a GPU. Launches of the same kernel, grid and block are one,
// with the median of each counter. What no configuration launches is left out, and the remark counts it. The same file
// again adds nothing. Throws Error (bad usage), with nothing added, for a file without a launch, or of which no launch
// fits, or one fits several configurations, with their names; and where several devices are meant, or another than the
// file's.
ImportSummary import_ncu(Database& database, const std::filesystem::path& file, const NcuScope& scope);

}  // namespace tailwave
