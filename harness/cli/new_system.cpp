#include "cli/new_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cli/embedded.h"
#include "core/error.h"
#include "spec/document.h"
#include "spec/names.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStarter = "starter/";
constexpr std::string_view kExperiment = "first.json";
constexpr std::string_view kSystem = "@SYSTEM@";
constexpr std::string_view kKernel = "@KERNEL@";

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
    std::error_code error;
    const bool is_new = !fs::exists(path, error);
    errno = 0;
    std::ofstream stream(path, std::ios::binary);
    if (stream && is_new) paths_.push_back(path);
    stream << text;
    stream.close();
    if (!stream) refuse_write(path, {errno == 0 ? EIO : errno, std::generic_category()});
  }

  void complete() { complete_ = true; }

 private:
  std::vector<fs::path> paths_;
  bool complete_ = false;
};

bool has_text(const fs::path& file, std::string_view text) {
  std::ifstream stream(file, std::ios::binary);
  return stream && text == std::string(std::istreambuf_iterator<char>(stream), {});
}

// What "$schema" of a new file names, for editors: as this program has them.
std::vector<NewFile> schemas() {
  std::vector<NewFile> files;
  for (const char* file : {"experiment.schema.json", "system.schema.json"})
    files.push_back({fs::path("schemas") / file, std::string(schema_text(file))});
  return files;
}

std::string filled_in(std::string text, std::string_view placeholder, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += name.size())
    text.replace(at, placeholder.size(), name);
  return text;
}

// The name as C++ can have it.
std::string kernel_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return why_not_a_parameter_name(name).empty() ? name : name + "_kernel";
}

void refuse_existing(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  throw Error(
      Diagnostic{.file = folder.string(),
                 .cause = "exists already",
                 .hint = "choose another name, remove it first, or write over its files with --force"});
}

}  // namespace

void require_system_name(const std::string& name) {
  if (const std::string why = why_not_a_name(name); !why.empty())
    throw Error(Diagnostic{.cause = fmt::format("the system name '{}' {}", name, why)});
}

std::vector<NewFile> skeleton_of(const std::string& name) {
  require_system_name(name);
  std::vector<NewFile> files;
  for (const auto& [path, text] : embedded::cli::files()) {
    const std::string_view file = path.substr(kStarter.size());
    const fs::path folder = fs::path(file == kExperiment ? "experiments" : "kernel_templates") / name;
    files.push_back(
        {folder / file, filled_in(filled_in(std::string(text), kSystem, name), kKernel, kernel_name(name))});
  }
  return files;
}

std::vector<fs::path> write_new_system(const std::string& name, const std::vector<NewFile>& files,
                                       const fs::path& directory, bool force) {
  require_system_name(name);
  if (!force)
    for (const char* folder : {"kernel_templates", "experiments"})
      refuse_existing((directory / folder / name).lexically_normal());
  Made made;
  std::vector<fs::path> paths;
  for (const NewFile& file : files) {
    paths.push_back((directory / file.path).lexically_normal());
    made.folder(paths.back().parent_path());
    made.file(paths.back(), file.text);
  }
  for (const NewFile& schema : schemas()) {
    const fs::path path = (directory / schema.path).lexically_normal();
    if (has_text(path, schema.text)) continue;
    made.folder(path.parent_path());
    made.file(path, schema.text);
    paths.push_back(path);
  }
  made.complete();
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace tailwave
