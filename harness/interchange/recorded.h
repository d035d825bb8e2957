#pragma once

#include <filesystem>
#include <string>

#include "store/database.h"

namespace tailwave {

// Recorded results: the current trials (view current_trial) of one experiment on one device with everything that
// belongs to them, as JSON text to commit. The text depends on the data alone: keys sorted, trials sorted by
// configuration, each list of samples on one line, so that a changed trial is a few changed lines. Of a run in which a search
// chose what was measured it says so, with the search's settings and steps. Block traces and profile metrics are not
// part of it.
//
// Throws Error (kRunFailed) when there is no such trial, naming the devices that have some. `system` may be empty
// where the experiment's name is unique.
std::string export_recorded(Database& database, const std::string& experiment, const std::string& device,
                            const std::string& system = "");

struct ImportSummary {
  std::string experiment;
  std::string device;
  int trials_added = 0;
  int trials_present = 0;       // were in the database already
  std::string what = "trials";  // or "traces and curves"
  std::string remark;           // what a person should know of the file; may be empty
};

// Adds a file of results, compressed with gzip or not: one written by export_recorded() or export_observed(), a T4 file, or a
// cachefile of Kernel Tuner, finished or not; its content says which. What is there already is left alone, and where the file
// says something else of it, the remark counts that. Throws Error (bad
// usage) that names the file and the JSON pointer for a damaged file or one of another version; nothing is added then.
ImportSummary import_recorded(Database& database, const std::filesystem::path& file);

}  // namespace tailwave
