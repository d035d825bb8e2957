#include "cli/new_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "cli/embedded.h"
#include "core/error.h"
#include "spec/names.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStarter = "starter/";
constexpr std::string_view kExperiment = "first.json";
constexpr std::string_view kPlaceholder = "@SYSTEM@";

[[noreturn]] void refuse_write(const fs::path& path, const std::error_code& error) {
  throw Error(Diagnostic{
      .file = path.string(), .cause = "cannot be made: " + error.message(), .hint = "nothing was written"});
}

// What was made so far; removed unless all of it was.
class Made {
 public:
  Made() = default;
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    std::error_code ignored;
    if (complete_) return;
    std::reverse(paths_.begin(), paths_.end());
    for (const fs::path& path : paths_) fs::remove(path, ignored);
  }

  // The folder and those above it that do not exist yet.
  void folder(const fs::path& path) {
    std::error_code error;
    if (path.empty() || fs::is_directory(path, error)) return;
    folder(path.parent_path());
    if (fs::create_directory(path, error)) {
      paths_.push_back(path);
    } else {
      refuse_write(path, error ? error : std::make_error_code(std::errc::file_exists));
    }
  }

  void file(const fs::path& path, const std::string& text) {
    errno = 0;
    std::ofstream stream(path, std::ios::binary);
    if (stream) paths_.push_back(path);
    stream << text;
    stream.close();
    if (!stream) refuse_write(path, {errno == 0 ? EIO : errno, std::generic_category()});
  }

  void complete() { complete_ = true; }

 private:
  std::vector<fs::path> paths_;
  bool complete_ = false;
};

std::string filled_in(std::string_view text, const std::string& name) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find(kPlaceholder, at)) != std::string::npos; at += name.size())
    result.replace(at, kPlaceholder.size(), name);
  return result;
}

void refuse_existing(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  throw Error(Diagnostic{
      .file = folder.string(), .cause = "exists already", .hint = "choose another name, or remove it first"});
}

}  // namespace

std::vector<fs::path> write_new_system(const std::string& name, const fs::path& directory) {
  if (const std::string why = why_not_a_name(name); !why.empty())
    throw Error(Diagnostic{.cause = fmt::format("the system name '{}' {}", name, why)});
  const fs::path system = (directory / "kernel_templates" / name).lexically_normal();
  const fs::path experiments = (directory / "experiments" / name).lexically_normal();
  refuse_existing(system);
  refuse_existing(experiments);
  Made made;
  made.folder(system);
  made.folder(experiments);
  std::vector<fs::path> files;
  for (const auto& [path, text] : embedded::cli::files()) {
    const std::string_view file = path.substr(kStarter.size());
    files.push_back((file == kExperiment ? experiments : system) / file);
    made.file(files.back(), filled_in(text, name));
  }
  made.complete();
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tailwave
