#include "device/cuda/gpu_place.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

namespace tailwave {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

}  // namespace

std::string visible_name(const char* visible, int ordinal) {
  if (visible == nullptr) return std::to_string(ordinal);
  std::istringstream names(visible);
  std::string name;
  for (int i = 0; i <= ordinal; ++i)
    if (!std::getline(names, name, ',') || name.empty() || name.starts_with('-')) return "";
  return name;
}

bool has_visible_names() {
  return std::getenv(kVisible) != nullptr;
}

std::string no_such_gpu(int ordinal, int count) {
  return fmt::format("cuda:{}: no such device; the driver reports {}, cuda:0 being the first", ordinal,
                     count);
}

int take_place(const GpuPlace& place) {
  if (!place.alone) return place.ordinal;
  const std::string name = visible_name(std::getenv(kVisible), place.ordinal);
  if (name.empty()) return place.ordinal;  // which is told as it is without this
  setenv(kVisible, name.c_str(), 1);
  return 0;
}

}  // namespace tailwave
