#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tailwave {

// $TMPDIR, or /tmp where that is not set; it need not exist.
std::filesystem::path folder_of_temporary_files();

// A new folder there, or in another one, its user's alone, removed with all that is in it.
class TemporaryFolder {
 public:
  // mkdtemp() puts so many letters behind `prefix`.
  static constexpr std::size_t kDrawn = 6;
  // Throws Error where it cannot be made.
  explicit TemporaryFolder(std::string_view prefix = "tailwave-",
                           const std::filesystem::path& parent = folder_of_temporary_files());
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// With all that is in it, however deep; nothing where it is not there.
void remove_temporary_folder(const std::filesystem::path& folder) noexcept;

// What to throw where a file in such a folder cannot be written: a full disk, most often.
[[noreturn]] void refuse_temporary_file(const std::filesystem::path& file, const std::string& cause);

}  // namespace tailwave
