#pragma once

#include <filesystem>
#include <string>

#include "store/database.h"

namespace tailwave {

// Recorded results: the current trials (view current_trial) of one experiment on one device with everything that
// belongs to them, as JSON text to commit. The text depends on the data alone: keys sorted, trials sorted by
// configuration, each list of samples on one line, so that a changed trial is a few changed lines. Block traces and
// profile metrics are not part of it.
//
// Throws Error (kRunFailed) when there is no such trial, naming the devices that have some. `system` may be empty
// where the experiment's name is unique.
std::string export_recorded(Database& database, const std::string& experiment, const std::string& device,
                            const std::string& system = "");

struct ImportSummary {
  std::string experiment;
  std::string device;
  int trials_added = 0;
  int trials_present = 0;  // were in the database already
};

// Adds a file written by export_recorded; what is there already is left alone. Throws Error (bad usage) that names
// the file and the JSON pointer for a damaged file or one of another schema_version; nothing is added then.
ImportSummary import_recorded(Database& database, const std::filesystem::path& file);

}  // namespace tailwave
