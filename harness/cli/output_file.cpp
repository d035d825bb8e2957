#include "cli/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "core/error.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_output(const fs::path& file, const std::error_code& error) {
  throw Error(Diagnostic{.file = file.string(),
                         .cause = "cannot be written: " + error.message(),
                         .hint = "name another file with --out"},
              Error::kRunFailed);
}

std::error_code write_bytes(const fs::path& file, const std::string& text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) return {};
  return {errno == 0 ? EIO : errno, std::generic_category()};
}

}  // namespace

void write_output_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    if (error = write_bytes(file, text); error) refuse_output(file, error);
    return;
  }
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  // Through a link to what it names.
  const fs::path target = fs::is_symlink(file, error) ? fs::weakly_canonical(file, error) : file;
  const fs::path temporary = fmt::format("{}.{}.tmp", target.string(), ::getpid());
  error = write_bytes(temporary, text);
  if (!error) fs::rename(temporary, target, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  refuse_output(file, error);
}

}  // namespace tailwave
