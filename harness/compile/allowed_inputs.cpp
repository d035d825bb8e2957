#include "compile/allowed_inputs.h"

#include <utility>

namespace tailwave {
namespace {

std::vector<std::filesystem::path>& allowed_paths() {
  static std::vector<std::filesystem::path> paths;
  return paths;
}

}  // namespace

void set_allowed_inputs(std::vector<std::filesystem::path> paths) {
  allowed_paths() = std::move(paths);
}

const std::vector<std::filesystem::path>& allowed_inputs() {
  return allowed_paths();
}

}  // namespace tailwave
