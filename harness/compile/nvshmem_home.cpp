#include "compile/nvshmem_home.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include "compile/cuda_toolkit.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 2> kLibraryFolders{"lib", "lib64"};
constexpr std::string_view kHostLibrary = "libnvshmem_host.so.3", kDeviceLibrary = "libnvshmem_device.a";

// Those of all Pythons below lib/ of such a folder.
void add_packages(const fs::path& root, std::vector<fs::path>& folders) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(root / "lib", ignored)) {
    if (!entry.path().filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"})
      found.push_back(entry.path() / packages / "nvidia/nvshmem");
  }
  std::sort(found.begin(), found.end());
  folders.insert(folders.end(), found.begin(), found.end());
}

// "3.4.5" of the headers; "" where they say none.
std::string version_in(const fs::path& folder) {
  std::ifstream stream(folder / "include/non_abi/nvshmem_version.h");
  std::string version;
  for (const char* part : {"MAJOR", "MINOR", "PATCH"}) {
    const std::string begin = fmt::format("#define NVSHMEM_VENDOR_{}_VERSION ", part);
    for (std::string line; std::getline(stream, line);) {
      if (!line.starts_with(begin)) continue;
      version += (version.empty() ? "" : ".") + line.substr(begin.size());
      break;
    }
  }
  return version;
}

std::optional<NvshmemHome> home_at(const fs::path& folder) {
  std::error_code ignored;
  for (const char* const libraries : kLibraryFolders) {
    NvshmemHome home{folder, folder / libraries / kHostLibrary, folder / libraries / kDeviceLibrary,
                     version_in(folder)};
    if (!home.version.empty() && fs::exists(home.host_library, ignored) &&
        fs::exists(home.device_library, ignored))
      return home;
  }
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> nvshmem_folders(const fs::path& nvrtc) {
  if (const std::string own = environment_text("NVSHMEM_HOME"); !own.empty()) return {own};
  std::vector<fs::path> folders;
  for (fs::path folder = nvrtc.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (folder.filename() == "nvidia") folders.push_back(folder / "nvshmem");
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string root = environment_text(variable); !root.empty()) add_packages(root, folders);
  if (const std::string home = environment_text("HOME"); !home.empty())
    add_packages(fs::path(home) / ".local", folders);
  for (const char* root : {"/usr/local", "/usr"}) add_packages(root, folders);
  folders.emplace_back("/usr/local/nvshmem");
  return folders;
}

std::optional<NvshmemHome> find_nvshmem(const fs::path& nvrtc, std::string& why_not) {
  for (const fs::path& folder : nvshmem_folders(nvrtc))
    if (auto home = home_at(folder)) return home;
  const std::string own = environment_text("NVSHMEM_HOME");
  why_not =
      own.empty()
          ? "NVSHMEM not found beside NVRTC or among Python's packages: 'pip install nvidia-nvshmem-cu13' "
            "brings it; NVSHMEM_HOME names its folder"
          : fmt::format("NVSHMEM not found: NVSHMEM_HOME={} has no include/ and lib/ with {} and {}", own,
                        kHostLibrary, kDeviceLibrary);
  return std::nullopt;
}

}  // namespace tailwave
