#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "capture/captured_launch.h"
#include "capture/source_variant.h"

namespace tailwave {

// What write_captured_system() writes.
struct CapturedManifest {
  nlohmann::ordered_json manifest;
  nlohmann::ordered_json experiment;  // of all sizes
  std::string readme;
  std::vector<std::string> notes;
  // What is put together in each file, one part a size.
  std::vector<std::pair<std::string, std::vector<std::filesystem::path>>> files;
};

// Of launches that are alike (captured_system.h), at least one, as the system `name`. `source`: of the kernel, as another
// variant; null: there is none.
CapturedManifest manifest_of(const std::vector<CapturedLaunch>& launches, const std::string& name,
                             const std::vector<std::string>& command, const std::vector<KernelTimes>& times,
                             const SourceVariant* source);

}  // namespace tailwave
