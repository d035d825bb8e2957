#include "compile/cuda_toolkit.h"

#include <cstdlib>
#include <system_error>

#ifndef TAILWAVE_CUDA_INCLUDE
#define TAILWAVE_CUDA_INCLUDE ""  // this build knows no headers
#endif

namespace tailwave {
namespace fs = std::filesystem;

std::string full_architecture(int compute_capability) {
  constexpr int kFirstSpecific = 90;
  return std::to_string(compute_capability) + (compute_capability >= kFirstSpecific ? "a" : "");
}

std::string environment_text(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const std::string root = environment_text(variable); !root.empty()) roots.emplace_back(root);
  if (const fs::path headers = TAILWAVE_CUDA_INCLUDE; !headers.empty())
    roots.push_back(headers.parent_path());
  // What cmake/setup.sh fetched, for a program that lies in a build folder of the project.
  std::error_code ignored;
  for (fs::path folder = program_folder(); folder.has_relative_path(); folder = folder.parent_path())
    if (fs::is_directory(folder / ".deps/cuda", ignored)) roots.push_back(folder / ".deps/cuda");
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

}  // namespace tailwave
