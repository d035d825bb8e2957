#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "spec/reporter.h"

namespace tailwave {

struct Experiment;

// The folder that holds kernel_templates/: the nearest one at or above `start`. Throws Error when there is none.
std::filesystem::path find_project_root(const std::filesystem::path& start);

// The folder whose commit a run of the experiment records: its project's, else its file's.
std::filesystem::path folder_of_record(const Experiment& experiment);

// The absolute path of the regular file that a spec names relative to `directory`. Reported, and empty: an
// absolute path, one with "..", one that leaves the directory through a symbolic link, and a missing file.
std::optional<std::filesystem::path> file_inside(const std::filesystem::path& directory, const Json& place,
                                                 Reporter& reporter);
// The same for a regular file or a folder.
std::optional<std::filesystem::path> entry_inside(const std::filesystem::path& directory, const Json& place,
                                                  Reporter& reporter);

// The path as people should read it: relative to the current folder when it is below that.
std::string shown_path(const std::filesystem::path& path);

// Names of the entries of a folder that `accept` accepts, sorted; none when it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& directory,
                                  const std::function<bool(const std::filesystem::directory_entry&)>& accept);

// The *.json below a folder that may be experiments, sorted: not manifests, and none in folders named `published`. Of a
// project's folder, which holds kernel_templates/, those in its experiments/. Throws Error when it cannot be read.
std::vector<std::filesystem::path> find_specs(const std::filesystem::path& folder);

// The same for manifests (system.json), of a project's folder those in its kernel_templates/.
std::vector<std::filesystem::path> find_manifests(const std::filesystem::path& folder);

// A folder stands for its find_specs(); a file for itself. Each file once. Throws Error for what is neither and for a
// folder without specs.
std::vector<std::filesystem::path> expand_specs(const std::vector<std::filesystem::path>& paths);

// For a path that does not exist the one that does and is likely to be meant: each part of it that is not there becomes
// the nearest one (core/error.h) beside it. Empty where there is none.
std::filesystem::path near_path(const std::filesystem::path& path);

}  // namespace tailwave
