#include "capture/captured_system.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "adopt/pretty_json.h"
#include "capture/captured_manifest.h"
#include "core/error.h"

namespace tailwave {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw Error({.file = file.string(), .cause = why}, Error::kRunFailed);
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) cannot_write(file, "cannot be written");
}

void join_files(const std::vector<fs::path>& parts, const fs::path& to) {
  std::ofstream stream(to, std::ios::binary);
  for (const fs::path& part : parts)
    if (fs::file_size(part) > 0) stream << std::ifstream(part, std::ios::binary).rdbuf();
  stream.close();
  if (!stream) cannot_write(to, "cannot be written");
}

bool have_same_contents(const fs::path& one, const fs::path& other) {
  const auto text = [](const fs::path& file) {
    std::ostringstream contents;
    contents << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(contents).str();
  };
  return text(one) == text(other);
}

// Where pointers stand and what they point to; not how far into it.
bool point_alike(const CapturedArgument& one, const CapturedArgument& other) {
  return one.bytes.size() == other.bytes.size() &&
         std::ranges::equal(one.pointers, other.pointers,
                            [](const CapturedPointer& a, const CapturedPointer& b) {
                              return a.at == b.at && a.memory == b.memory;
                            });
}

}  // namespace

std::string system_name(const std::string& demangled) {
  std::string name;
  for (const char letter : base_name(demangled)) {
    const bool good = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-';
    name += good ? letter : '_';
  }
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) name = "kernel" + name;
  return name;
}

bool are_alike(const CapturedLaunch& one, const CapturedLaunch& other) {
  return one.kernel == other.kernel && one.device == other.device && one.cooperative == other.cooperative &&
         one.cluster.has_value() == other.cluster.has_value() &&
         std::ranges::equal(one.arguments, other.arguments, point_alike) &&
         std::ranges::equal(one.memory, other.memory, {}, &CapturedMemory::memory, &CapturedMemory::memory) &&
         std::ranges::equal(one.variables, other.variables, {}, &CapturedVariable::symbol,
                            &CapturedVariable::symbol) &&
         have_same_contents(one.code, other.code);
}

CapturedSystem write_captured_system(const std::vector<CapturedLaunch>& launches, const fs::path& folder,
                                     const std::vector<std::string>& command,
                                     const std::vector<KernelTimes>& times, const SourceVariant* source) {
  if (launches.front().memory.empty())
    throw Error(
        {.place = launches.front().demangled,
         .cause = "no argument of it points to memory, so that nothing says whether it does what it did"},
        Error::kRunFailed);
  CapturedSystem made{.manifest = folder / "system.json", .experiment = {}, .notes = {}};
  std::error_code error;
  if (fs::exists(made.manifest, error))
    throw Error({.file = made.manifest.string(),
                 .cause = "is there already",
                 .hint = "choose another folder by --out"});
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const std::string name = whole.filename().string();
  const CapturedManifest captured = manifest_of(launches, name, command, times, source);
  for (const auto& [file, parts] : captured.files) join_files(parts, folder / file);
  if (source != nullptr)
    for (const auto& [file, text] : source->files) {
      fs::create_directories((folder / file).parent_path(), error);
      write_text(folder / file, text);
    }
  write_text(folder / "README.md", captured.readme);
  write_text(made.manifest, pretty_json(captured.manifest) + "\n");
  made.notes = captured.notes;
  if (launches.size() == 1 || whole.parent_path().filename() != "kernel_templates") return made;
  const fs::path experiments = folder.parent_path().parent_path() / "experiments" / name;
  fs::create_directories(experiments, error);
  if (error) cannot_write(experiments, error.message());
  made.experiment = experiments / "sizes.json";
  write_text(made.experiment, pretty_json(captured.experiment) + "\n");
  return made;
}

}  // namespace tailwave
