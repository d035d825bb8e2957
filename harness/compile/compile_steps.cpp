#include "compile/compile_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "compile/prelude.h"
#include "compile/project_sources.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/process.h"
#include "core/stopwatch.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kAnswerTimeout{120};

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

// Whether somebody has killed the compiler or, as these words of GCC's, Clang's and nvcc's drivers say, a part of it.
bool was_killed(const ProcessResult& result) {
  constexpr std::array<std::string_view, 5> kWords{
      "Killed signal terminated program", "with signal 9 [Killed]", "internal compiler error: Killed",
      "unable to execute command: Killed", "died due to signal 9"};
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

}  // namespace

std::vector<std::string> words_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  std::vector<std::string> words;
  std::istringstream stream(text == nullptr ? "" : text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// A signal may have come from outside, and another compiler makes other code.
std::string answer_of(std::vector<std::string> command, const std::vector<std::string>& arguments) {
  constexpr int kMostTries = 3, kSignal = 128;
  append(command, arguments);
  try {
    for (int tried = 0; tried < kMostTries; ++tried) {
      const ProcessResult result = run_process(command, kAnswerTimeout, hidden_variables());
      if (result.timed_out) return "";
      if (result.exit_status == 0) return result.output;
      if (result.exit_status <= kSignal) return "";
    }
  } catch (const Error&) {
    return "";
  }
  return "";
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

fs::path installation_of(const fs::path& program) {
  const fs::path whole = program.parent_path().parent_path();
  const char* const home = std::getenv("HOME");
  const bool has_home = whole == whole.root_path() || is_inside(home == nullptr ? "/" : home, whole);
  return has_home ? program.parent_path() : whole;
}

UnitFolder::UnitFolder(const std::string& ending, const std::string& unit,
                       const std::vector<UnitCompiler::File>& headers)
    : source_("unit" + ending) {
  write(path() / source_, unit);
  for (const UnitCompiler::File& header : headers) write(path() / header.name, header.text);
}

std::vector<std::string> UnitFolder::flags(const std::vector<std::string>& includes) const {
  std::vector<std::string> flags{"-I", path().string()};
  for (const std::string& include : includes) append(flags, {"-I", (path() / include).string()});
  append(flags,
         {"-MMD", "-MF", noted().string(), "-c", (path() / source_).string(), "-o", object().string()});
  return flags;
}

std::vector<fs::path> UnitFolder::inputs(const std::string& who) const {
  if (!fs::exists(noted()))
    throw Failure(Outcome::compile_error, who + " does not tell which files it read (-MMD -MF)");
  std::set<fs::path> files;
  for (const std::string& file : prerequisites(read_file(noted()))) {
    const fs::path whole = fs::weakly_canonical(file);
    if (!is_inside(whole, fs::canonical(path()))) files.insert(whole);
  }
  return {files.begin(), files.end()};
}

CompileSteps::CompileSteps(fs::path folder, double deadline_s, std::string who)
    : folder_(std::move(folder)), deadline_s_(deadline_s), who_(std::move(who)) {}

std::string CompileSteps::run(const std::vector<std::string>& command) const {
  constexpr double kMostS = 1e6;
  const std::chrono::duration<double> left(std::clamp(deadline_s_ - seconds_since(start_), 0.0, kMostS));
  const ProcessResult result =
      run_process(command, std::chrono::duration_cast<std::chrono::milliseconds>(left), hidden_variables());
  std::string output = tidied(result.output, folder_);
  if (result.timed_out)
    throw Failure(Outcome::compile_timeout, fmt::format("{} took longer than {:g} s", who_, deadline_s_));
  if (was_killed(result))
    throw Failure(Outcome::compile_error,
                  fmt::format("{}{}{} {}", output, output.empty() ? "" : "\n", who_, kKilledFromOutside));
  if (result.exit_status != 0)
    throw Failure(
        Outcome::compile_error,
        output.empty() ? fmt::format("{} failed with status {}", who_, result.exit_status) : output);
  return output;
}

}  // namespace tailwave
