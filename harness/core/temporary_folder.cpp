#include "core/temporary_folder.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/error.h"

namespace tailwave {

std::filesystem::path folder_of_temporary_files() {
  const char* named = std::getenv("TMPDIR");
  return named == nullptr || *named == '\0' ? "/tmp" : named;
}

TemporaryFolder::TemporaryFolder(std::string_view prefix, const std::filesystem::path& parent) {
  std::string name = (parent / fmt::format("{}{:X>{}}", prefix, "", kDrawn)).string();
  if (mkdtemp(name.data()) == nullptr)
    refuse_temporary_file(name, fmt::format("cannot be made: {}", std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  remove_temporary_folder(path_);
}

void remove_temporary_folder(const std::filesystem::path& folder) noexcept {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error != std::errc::too_many_files_open) return;
  // Each folder in a folder takes a descriptor more.
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit all{files.rlim_max, files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &all);
  std::filesystem::remove_all(folder, error);
  setrlimit(RLIMIT_NOFILE, &files);
}

void refuse_temporary_file(const std::filesystem::path& file, const std::string& cause) {
  throw Error(Diagnostic{.file = file.string(),
                         .cause = cause,
                         .hint = "name another folder for temporary files with $TMPDIR"},
              Error::kRunFailed);
}

}  // namespace tailwave
