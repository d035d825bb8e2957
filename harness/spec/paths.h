#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "spec/reporter.h"

namespace tailwave {

// The absolute path of the regular file that a spec names relative to `directory`. Reported, and empty: an
// absolute path, one with "..", one that leaves the directory through a symbolic link, and a missing file.
std::optional<std::filesystem::path> file_inside(const std::filesystem::path& directory,
                                                 const JsonPlace& place, Reporter& reporter);

// The path as people should read it: relative to the current folder when it is below that.
std::string shown_path(const std::filesystem::path& path);

// Names of the entries of a folder that `accept` accepts, sorted; none when it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& directory,
                                  const std::function<bool(const std::filesystem::directory_entry&)>& accept);

}  // namespace tailwave
