#pragma once

#include <filesystem>
#include <string>

#include "store/database.h"

namespace tailwave {

struct ImportSummary {
  std::string experiment;
  std::string device;
  int trials_added = 0;
  int trials_present = 0;       // were in the database already
  std::string what = "trials";  // or "traces, curves, counters and timelines"
  std::string remark;           // what a person should know of the file; may be empty
};

// Adds a file of results, compressed with gzip or not: one written by export_recorded() (interchange/export.h) or
// export_observed(), a T4 file, or a cachefile of Kernel Tuner, finished or not; its content says which. What is
// there already is left alone, and where the file says something else of it, the remark counts that. Throws Error
// (bad usage) that names the file and the JSON pointer for a damaged file or one of another version; nothing is added
// then.
ImportSummary import_recorded(Database& database, const std::filesystem::path& file);

}  // namespace tailwave
