#pragma once

#include <filesystem>

namespace tailwave {

// A new folder among the system's temporary files, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();  // throws Error where it cannot be made
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tailwave
