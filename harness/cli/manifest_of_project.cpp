#include "cli/manifest_of_project.h"

#include <filesystem>

#include "core/error.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {

std::optional<System> system_of_project(const std::string& name) {
  try {
    for (const std::filesystem::path& file :
         find_manifests(find_project_root(std::filesystem::current_path()))) {
      Diagnostics ignored;
      std::optional<System> system = load_system(file, ignored);
      if (system && system->name == name) return system;
    }
  } catch (const Error&) {
    return std::nullopt;  // no project
  }
  return std::nullopt;
}

}  // namespace tailwave
