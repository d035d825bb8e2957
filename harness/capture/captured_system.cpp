#include "capture/captured_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "adopt/pretty_json.h"
#include "capture/captured_manifest.h"
#include "capture/captured_values.h"
#include "core/error.h"
#include "core/hash.h"
#include "spec/system_reader.h"

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
         hash_of_file(one.code) == hash_of_file(other.code);
}

fs::path experiment_of_sizes(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  if (whole.parent_path().filename() != "kernel_templates") return {};
  return folder.parent_path().parent_path() / "experiments" / whole.filename() / "sizes.json";
}

void require_room(const fs::path& folder) {
  std::error_code error;
  const auto refuse = [](const fs::path& there, const char* what) {
    throw Error({.file = there.string(), .cause = what, .hint = "choose another folder by --out"});
  };
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    refuse(folder, "is there already, and not empty");
  if (fs::exists(experiment_of_sizes(folder), error)) refuse(experiment_of_sizes(folder), "is there already");
}

namespace {

void write_files(const CapturedManifest& captured, const fs::path& folder, const SourceVariant* source) {
  for (const auto& [file, parts] : captured.files) join_files(parts, folder / file);
  std::error_code error;
  if (source != nullptr)
    for (const auto& [file, text] : source->files) {
      fs::create_directories((folder / file).parent_path(), error);
      write_text(folder / file, text);
    }
  write_text(folder / "README.md", captured.readme);
  write_text(folder / "system.json", pretty_json(captured.manifest) + "\n");
  Diagnostics wrong;
  if (!load_system(folder / "system.json", wrong)) throw Error(wrong, Error::kRunFailed);
}

// A number in a struct asks for its alignment, and the whole is a multiple of it.
void require_layouts(const CapturedLaunch& launch) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const CapturedArgument& one = launch.arguments[i];
    if (one.pointers.empty() || one.bytes.size() % kPointerBytes == 0) continue;
    throw Error(
        {.place = launch.demangled,
         .cause = fmt::format(
             "argument {} is a packed struct of {} bytes with an address in it, which no manifest can pass",
             i + 1, one.bytes.size())},
        Error::kRunFailed);
  }
}

}  // namespace

CapturedSystem write_captured_system(const std::vector<CapturedLaunch>& launches, const fs::path& folder,
                                     const std::vector<std::string>& command,
                                     const std::vector<KernelTimes>& times, const SourceVariant* source) {
  if (launches.front().memory.empty())
    throw Error(
        {.place = launches.front().demangled,
         .cause = "no argument of it points to memory, so that nothing says whether it does what it did"},
        Error::kRunFailed);
  require_layouts(launches.front());
  if (source != nullptr && launches.size() > 1 && source->variant.at("parameters").contains(kSize))
    throw Error({.place = launches.front().demangled,
                 .cause = fmt::format(
                     "the source has a macro {}, which is what sizes are called by: rename it", kSize)});
  require_room(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
  const std::string name = fs::absolute(folder).lexically_normal().filename().string();
  const CapturedManifest captured = manifest_of(launches, name, command, times, source);
  CapturedSystem made{.manifest = folder / "system.json", .experiment = {}, .notes = captured.notes};
  try {
    write_files(captured, folder, source);
  } catch (...) {
    fs::remove_all(folder, error);
    throw;
  }
  if (launches.size() == 1 || experiment_of_sizes(folder).empty()) return made;
  made.experiment = experiment_of_sizes(folder);
  fs::create_directories(made.experiment.parent_path(), error);
  if (error) cannot_write(made.experiment.parent_path(), error.message());
  write_text(made.experiment, pretty_json(captured.experiment) + "\n");
  return made;
}

}  // namespace tailwave
