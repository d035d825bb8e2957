#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tailwave {

struct NewFile {
  std::filesystem::path path;  // below the project's folder
  std::string text;
};

// The files of a skeleton: kernel_templates/`name` and an experiment, experiments/`name`/first.json, whose kernel has that
// name, as far as C++ allows it, and lacks what it computes. Throws Error for a name that is none of a system.
std::vector<NewFile> skeleton_of(const std::string& name);

// Writes them below `directory`, which is made where it does not exist, and in its folder schemas/, where they are not yet,
// the schemas that they name for editors. Returns the paths of what was written, sorted. Throws Error, and
// leaves everything as it was, where a folder of the system exists, unless `force`, or a file cannot be written; with `force`
// files that had the same names are lost even so.
std::vector<std::filesystem::path> write_new_system(const std::string& name,
                                                    const std::vector<NewFile>& files,
                                                    const std::filesystem::path& directory, bool force);

// Throws Error for a name that no system can have.
void require_system_name(const std::string& name);

}  // namespace tailwave
