#include "device/cuda/cupti_files.h"

#include <array>
#include <string>
#include <system_error>

#include "compile/cuda_toolkit.h"

namespace tailwave {
namespace fs = std::filesystem;

std::vector<fs::path> cupti_candidates(const fs::path& nvrtc) {
  constexpr std::array<const char*, 3> kNames{"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  if (const std::string own = environment_text("TAILWAVE_CUPTI"); !own.empty()) return {own};
  std::vector<fs::path> folders;
  const fs::path beside = nvrtc.parent_path();
  if (!beside.empty()) folders = {beside, beside.parent_path() / "extras/CUPTI/lib64"};
  for (const fs::path& root : toolkit_roots())
    for (const char* folder : {"lib64", "lib", "extras/CUPTI/lib64"}) folders.push_back(root / folder);
  folders.push_back(program_folder());
  folders.push_back(program_folder().parent_path() / "lib");
  std::vector<fs::path> candidates;
  std::error_code ignored;
  for (const fs::path& folder : folders)
    for (const char* name : kNames)
      if (fs::exists(folder / name, ignored)) candidates.push_back(folder / name);
  candidates.insert(candidates.end(), kNames.begin(), kNames.end());
  return candidates;
}

}  // namespace tailwave
