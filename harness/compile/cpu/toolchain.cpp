#include "compile/cpu/toolchain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "compile/prelude.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/process.h"
#include "core/stopwatch.h"
#include "core/temporary_folder.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kVersionTimeout{120};

// Variables by which GCC and Clang look for headers, libraries and parts of their own elsewhere, take further options,
// or write files.
const std::vector<std::string>& hidden_variables() {
  static const std::vector<std::string> names{"CPATH",
                                              "C_INCLUDE_PATH",
                                              "CPLUS_INCLUDE_PATH",
                                              "OBJC_INCLUDE_PATH",
                                              "LIBRARY_PATH",
                                              "COMPILER_PATH",
                                              "GCC_EXEC_PREFIX",
                                              "CCC_OVERRIDE_OPTIONS",
                                              "DEPENDENCIES_OUTPUT",
                                              "SUNPRO_DEPENDENCIES"};
  return names;
}

std::vector<std::string> split(const char* text) {
  std::vector<std::string> words;
  std::istringstream stream(text == nullptr ? "" : text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// One that a signal ended is asked again: it may have come from outside, and another compiler makes other code.
std::string version_of(std::vector<std::string> command) {
  constexpr int kMostTries = 3, kSignal = 128;
  command.emplace_back("--version");
  try {
    for (int tried = 0; tried < kMostTries; ++tried) {
      const ProcessResult result = run_process(command, kVersionTimeout, hidden_variables());
      if (result.timed_out) return "";
      if (result.exit_status == 0) return first_line(result.output);
      if (result.exit_status <= kSignal) return "";
    }
  } catch (const Error&) {
    return "";
  }
  return "";
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    refuse_temporary_file(file,
                          fmt::format("cannot be written: {}", std::strerror(errno == 0 ? EIO : errno)));
}

std::string tidied(std::string text, const fs::path& folder) {
  const std::string prefix = folder.string() + '/';
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
    text.replace(at, prefix.size(), "tailwave:");
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

fs::path found_on_path(const std::string& program) {
  std::error_code ignored;
  if (program.find('/') != std::string::npos) return fs::canonical(program, ignored);
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path file = fs::canonical(fs::path(folder) / program, ignored); !file.empty()) return file;
  return {};
}

// Of bin/g++ the folder that has bin/ and lib/, unless that is the user's own or above it.
fs::path installation_of(const fs::path& program) {
  const fs::path whole = program.parent_path().parent_path();
  const char* const home = std::getenv("HOME");
  const fs::path to_home = fs::path(home == nullptr ? "/" : home).lexically_relative(whole);
  const bool has_home = whole == whole.root_path() || (!to_home.empty() && *to_home.begin() != "..");
  return has_home ? program.parent_path() : whole;
}

// Whether somebody has killed the compiler or, as these words of GCC's and Clang's drivers say, a part of it.
bool was_killed(const ProcessResult& result) {
  constexpr std::array<std::string_view, 4> kWords{
      "Killed signal terminated program", "with signal 9 [Killed]", "internal compiler error: Killed",
      "unable to execute command: Killed"};
  return result.exit_status == 128 + SIGKILL ||
         (result.exit_status != 0 && std::any_of(kWords.begin(), kWords.end(), [&](std::string_view words) {
            return result.output.find(words) != std::string::npos;
          }));
}

// The prerequisites of a make rule, "unit.o: unit.cpp \\\n a\\ b.h", as compilers write it.
std::vector<std::string> prerequisites(const std::string& rule) {
  std::vector<std::string> files(1);
  for (std::size_t i = rule.find(": ") + 1; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    const bool escapes =
        rule[i] == '$' ? next == '$' : rule[i] == '\\' && (next == ' ' || next == '#' || next == '\\');
    if (escapes) {
      files.back() += rule[++i];
    } else if (rule[i] == ' ' || rule[i] == '\n' || (rule[i] == '\\' && next == '\n')) {
      if (!files.back().empty()) files.emplace_back();
    } else {
      files.back() += rule[i];
    }
  }
  files.pop_back();  // after the last line
  return files;
}

// Those that lie outside the folder, each once.
std::vector<fs::path> outside(const fs::path& folder, const std::string& rule) {
  std::set<fs::path> files;
  for (const std::string& file : prerequisites(rule)) {
    const fs::path whole = fs::weakly_canonical(file);
    if (*whole.lexically_relative(fs::canonical(folder)).begin() == "..") files.insert(whole);
  }
  return {files.begin(), files.end()};
}

// The commands that make one build.
class Steps {
 public:
  Steps(fs::path folder, double deadline_s) : folder_(std::move(folder)), deadline_s_(deadline_s) {}

  // The output of a compiler that succeeded.
  std::string run(const std::vector<std::string>& command) const {
    constexpr double kMostS = 1e6;
    const std::chrono::duration<double> left(std::clamp(deadline_s_ - seconds_since(start_), 0.0, kMostS));
    const ProcessResult result =
        run_process(command, std::chrono::duration_cast<std::chrono::milliseconds>(left), hidden_variables());
    std::string output = tidied(result.output, folder_);
    if (result.timed_out)
      throw Failure(Outcome::compile_timeout,
                    fmt::format("the host compiler took longer than {:g} s", deadline_s_));
    if (was_killed(result))
      throw Failure(Outcome::compile_error, fmt::format("{}{}the host compiler {}", output,
                                                        output.empty() ? "" : "\n", kKilledFromOutside));
    if (result.exit_status != 0)
      throw Failure(Outcome::compile_error,
                    output.empty()
                        ? fmt::format("the host compiler failed with status {}", result.exit_status)
                        : output);
    return output;
  }

 private:
  fs::path folder_;
  double deadline_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

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

std::vector<fs::path> HostToolchain::folders() const {
  std::vector<fs::path> all;
  for (const std::string& word : command_)
    if (const fs::path program = found_on_path(word); !program.empty())
      all.push_back(installation_of(program));
  for (const std::string& flag : extra_flags())
    if (const std::size_t path = flag.find('/'); path != std::string::npos)
      all.emplace_back(flag.substr(path));
  return all;
}

std::vector<std::string> HostToolchain::extra_flags() {
  return split(std::getenv("TAILWAVE_HOST_CXXFLAGS"));
}

HostToolchain::Result HostToolchain::compile(const std::string& unit, const std::vector<File>& headers,
                                             const std::vector<std::string>& includes,
                                             const std::vector<std::string>& flags, double deadline_s,
                                             bool is_whole) const {
  const TemporaryFolder folder;
  const fs::path source = folder.path() / "unit.cpp", object = folder.path() / "unit.o",
                 library = folder.path() / "unit.so", read = folder.path() / "unit.d";
  write(source, unit);
  for (const File& header : headers) write(folder.path() / header.name, header.text);

  std::vector<std::string> compile = command_;
  append(compile, base_flags());
  append(compile, flags);
  append(compile, extra_flags());
  append(compile, {"-I", folder.path().string()});
  for (const std::string& include : includes) append(compile, {"-I", (folder.path() / include).string()});
  append(compile, {"-MMD", "-MF", read.string(), "-c", source.string(), "-o", object.string()});
  const Steps steps(folder.path(), deadline_s);
  Result result;
  result.log = steps.run(compile);
  if (!fs::exists(read))
    throw Failure(Outcome::compile_error, "the host compiler does not tell which files it read (-MMD -MF)");
  result.inputs = outside(folder.path(), read_file(read));

  // A step of its own: with -ffast-math GCC would link code that makes the whole program flush denormals.
  std::vector<std::string> link = command_;
  append(link, {"-shared", object.string(), "-o", library.string()});
  if (const std::string names = sanitizers(); !names.empty())
    append(link, {"-fsanitize=" + names});  // whose functions are the program's
  else if (is_whole)
    append(link, {"-Wl,-z,defs"});
  append(link, {"-lm"});
  steps.run(link);
  result.code = read_file(library);
  return result;
}

void HostToolchain::compile_object(const fs::path& source, const fs::path& object,
                                   const std::vector<std::string>& flags, double deadline_s) const {
  std::vector<std::string> compile = command_;
  append(compile, flags);
  append(compile, {"-fdiagnostics-color=never", "-c", source.string(), "-o", object.string()});
  static_cast<void>(Steps(source.parent_path(), deadline_s).run(compile));
}

void HostToolchain::link_program(const std::vector<fs::path>& objects, const fs::path& program,
                                 const std::vector<std::string>& flags, double deadline_s) const {
  std::vector<std::string> link = command_;
  for (const fs::path& object : objects) link.push_back(object.string());
  append(link, flags);
  append(link, {"-o", program.string()});
  static_cast<void>(Steps(program.parent_path(), deadline_s).run(link));
}

}  // namespace tailwave
