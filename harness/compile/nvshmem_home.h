#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tailwave {

// An installed NVSHMEM.
struct NvshmemHome {
  std::filesystem::path folder;  // with include/ and lib/
  std::filesystem::path host_library, device_library;
  std::string version;  // "3.4.5"
};

// The first that is there: $NVSHMEM_HOME (nothing else is looked at when it is set), what the wheel nvidia-nvshmem-cu13
// (or -cu12) put beside NVRTC's, into $VIRTUAL_ENV or where Python's packages of the system and of this user are, and
// what the system's packages install. Nothing when there is none, with one line in `why_not`.
std::optional<NvshmemHome> find_nvshmem(const std::filesystem::path& nvrtc, std::string& why_not);

// Folders in which that looks.
std::vector<std::filesystem::path> nvshmem_folders(const std::filesystem::path& nvrtc);

}  // namespace tailwave
