#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tailwave {

// Writes a system that works as it is, `directory`/kernel_templates/`name`, and an experiment on it,
// experiments/`name`/ first.json, and returns their files. `directory` is made where it does not exist. Throws Error,
// and leaves everything as it was, for a name that is none of a system, where one of the two folders exists, and
// where one cannot be written.
std::vector<std::filesystem::path> write_new_system(const std::string& name,
                                                    const std::filesystem::path& directory);

}  // namespace tailwave
