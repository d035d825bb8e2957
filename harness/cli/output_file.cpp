#include "cli/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string_view>
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

// How a text begins, up to the first name in it: `{\n "device"` of JSON, `system` of CSV, `# Comparison` of a page.
std::string_view opening(std::string_view text) {
  const std::size_t name = text.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (name == std::string_view::npos) return text;
  std::size_t end = text.find_first_of(":,\n", name);
  end = std::min(end, text.find("  ", name));
  return text.substr(0, end);
}

// What is there and was written by somebody else stays: whoever mistypes --out has only one copy of it.
void refuse_foreign(const fs::path& file, std::string_view text) {
  // What SQLite keeps beside a database, empty at times.
  for (const std::string_view suffix : {"-wal", "-shm", "-journal"}) {
    const std::string name = file.string();
    std::error_code error;
    if (name.ends_with(suffix) && fs::exists(name.substr(0, name.size() - suffix.size()), error))
      throw Error(Diagnostic{.file = name,
                             .cause = "belongs to the database beside it",
                             .hint = "name another file with --out"},
                  Error::kRunFailed);
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string_view begin = opening(text);
  std::string there(begin.size(), '\0');
  stream.read(there.data(), static_cast<std::streamsize>(there.size()));
  there.resize(static_cast<std::size_t>(stream.gcount()));
  if (there.empty() || there == begin) return;
  throw Error(Diagnostic{.file = file.string(),
                         .cause = "is there already, and does not begin like what would be written",
                         .hint = "name another file with --out, or remove this one"},
              Error::kRunFailed);
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
  refuse_foreign(file, text);
  const fs::path temporary = fmt::format("{}.{}.tmp", target.string(), ::getpid());
  error = write_bytes(temporary, text);
  if (!error) fs::rename(temporary, target, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  refuse_output(file, error);
}

}  // namespace tailwave
