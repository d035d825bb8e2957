#include "build/cpu/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "build/cpu/process.h"
#include "build/prelude.h"
#include "core/error.h"
#include "core/outcome.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kTimeout{120};

std::vector<std::string> split(const char* text) {
  std::vector<std::string> words;
  std::istringstream stream(text == nullptr ? "" : text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string version_of(std::vector<std::string> command) {
  command.emplace_back("--version");
  try {
    const ProcessResult result = run_process(command, kTimeout);
    if (result.exit_status == 0 && !result.timed_out) return first_line(result.output);
  } catch (const Error&) {
    return "";
  }
  return "";
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "tailwave-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(fmt::format("{}: cannot be created", name));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw Error(fmt::format("{}: cannot be written", file.string()));
}

std::string tidied(std::string text, const fs::path& folder) {
  const std::string prefix = folder.string() + '/';
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
    text.replace(at, prefix.size(), "tailwave:");
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The output of a compiler that succeeded.
std::string must_run(const std::vector<std::string>& command, const fs::path& folder) {
  const ProcessResult result = run_process(command, kTimeout);
  std::string output = tidied(result.output, folder);
  if (result.timed_out)
    throw Failure(Outcome::compile_error,
                  fmt::format("the host compiler took longer than {} s", kTimeout.count()));
  if (result.exit_status != 0)
    throw Failure(
        Outcome::compile_error,
        output.empty() ? fmt::format("the host compiler failed with status {}", result.exit_status) : output);
  return output;
}

}  // namespace

std::shared_ptr<const HostToolchain> HostToolchain::find() {
  for (const auto& command : {split(std::getenv("CXX")), {"g++"}, {"clang++"}, {"c++"}}) {
    if (command.empty()) continue;
    if (const std::string version = version_of(command); !version.empty())
      return std::make_shared<const HostToolchain>(command, version);
  }
  return nullptr;
}

HostToolchain::HostToolchain(std::vector<std::string> command, std::string version)
    : command_(std::move(command)), version_(std::move(version)) {}

std::string HostToolchain::cpu_identity() {
  std::ifstream stream("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(stream, line) && !line.empty();)
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features") ||
        line.starts_with("CPU "))
      identity += line + '\n';
  return identity;
}

std::string HostToolchain::sanitizers() {
#ifdef TAILWAVE_SANITIZE
  return TAILWAVE_SANITIZE;
#else
  return "";
#endif
}

std::vector<std::string> HostToolchain::base_flags() const {
  std::vector<std::string> flags{"-fPIC",           "-fvisibility=hidden",
                                 "-fno-math-errno", "-Wno-unknown-pragmas",
                                 "-Wno-attributes", "-fdiagnostics-color=never"};
  // GCC would make static locals of templates unique in the process, so that two builds of one template would
  // share their __shared__ arrays and could not be unloaded.
  if (!is_clang()) append(flags, {"-fno-gnu-unique"});
  if (const std::string names = sanitizers(); !names.empty())
    append(flags,
           {"-O1", "-g", "-fsanitize=" + names, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"});
  else
    append(flags, {"-O3", "-march=native"});
  return flags;
}

std::vector<std::string> HostToolchain::extra_flags() {
  return split(std::getenv("TAILWAVE_HOST_CXXFLAGS"));
}

HostToolchain::Result HostToolchain::compile(const std::string& unit, const std::vector<File>& headers,
                                             const std::vector<std::string>& includes,
                                             const std::vector<std::string>& flags) const {
  const TemporaryFolder folder;
  const fs::path source = folder.path() / "unit.cpp", object = folder.path() / "unit.o",
                 library = folder.path() / "unit.so";
  write(source, unit);
  for (const File& header : headers) write(folder.path() / header.name, header.text);

  std::vector<std::string> compile = command_;
  append(compile, base_flags());
  append(compile, flags);
  append(compile, extra_flags());
  append(compile, {"-I", folder.path().string()});
  for (const std::string& include : includes) append(compile, {"-I", (folder.path() / include).string()});
  append(compile, {"-c", source.string(), "-o", object.string()});
  Result result;
  result.log = must_run(compile, folder.path());

  // A step of its own: with -ffast-math GCC would link code that makes the whole program flush denormals.
  std::vector<std::string> link = command_;
  append(link, {"-shared", object.string(), "-o", library.string()});
  if (const std::string names = sanitizers(); !names.empty()) append(link, {"-fsanitize=" + names});
  append(link, {"-lm"});
  must_run(link, folder.path());
  result.code = read_file(library);
  return result;
}

}  // namespace tailwave
