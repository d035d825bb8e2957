#include "compile/nvcc_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "compile/compile_steps.h"
#include "compile/prelude.h"
#include "compile/project_sources.h"
#include "core/hash.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

// "13.0.88" of "Cuda compilation tools, release 13.0, V13.0.88"; of another program the first line.
std::string release_in(const std::string& answer) {
  const std::size_t line = answer.find("release ");
  const std::size_t number = line == std::string::npos ? line : answer.find(" V", line);
  return number == std::string::npos ? first_line(answer) : first_line(answer.substr(number + 2));
}

// What a macro is in lines such as "#define __VERSION__ \"12.2.0\""; "" where there is none.
std::string value_of(const std::string& macros, std::string_view name) {
  const std::string before = fmt::format("#define {} ", name);
  const std::size_t at = macros.find(before);
  if (at == std::string::npos) return "";
  std::string value = first_line(macros.substr(at + before.size()));
  std::erase(value, '"');
  return value;
}

// What nvcc and its host compiler define; "" where nvcc finds no host compiler: compiling then tells why.
std::string macros_of(const Words& command) {
  return answer_of(command, {"-x", "cu", "-E", "-Xcompiler", "-dM", "/dev/null"});
}

// The folder of the toolkit's headers, by one that nvcc reads before any source; "" where it reads none.
fs::path toolkit_folder(const std::vector<fs::path>& inputs) {
  const auto found = std::ranges::find(inputs, "cuda_runtime.h", &fs::path::filename);
  return found == inputs.end() ? fs::path() : found->parent_path();
}

// Without the toolkit's headers, and without what only a #line directive names: nvcc takes it for a file that it read.
void leave_out_known(std::vector<fs::path>& inputs) {
  const fs::path toolkit = toolkit_folder(inputs);
  std::erase_if(inputs, [&](const fs::path& file) {
    return (!toolkit.empty() && is_inside(file, toolkit)) || !fs::exists(file);
  });
}

Words lines_of(const std::string& text) {
  Words lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_error(const std::string& line) {
  return line.find("error") != std::string::npos || line.find("undefined reference") != std::string::npos ||
         line.starts_with("nvcc fatal");
}

bool says_by_whom(const std::string& line) {
  return line.starts_with("In file included from") || line.starts_with("                 from");
}

}  // namespace

std::string first_errors(const std::string& log) {
  constexpr std::ptrdiff_t kMost = 30;
  const Words lines = lines_of(log);
  auto first = std::ranges::find_if(lines, is_error);
  if (first == lines.end()) first = lines.begin();
  while (first != lines.begin() && says_by_whom(*(first - 1))) --first;
  const std::ptrdiff_t rest = lines.end() - first - kMost;
  if (rest <= 0) return fmt::format("{}", fmt::join(first, lines.end(), "\n"));
  return fmt::format("{}\n... and {} lines more", fmt::join(first, first + kMost, "\n"), rest);
}

std::shared_ptr<const NvccToolchain> NvccToolchain::find(int compute_capability, std::string& why_not,
                                                         const std::vector<fs::path>& toolkits) {
  const Words named = words_in_environment("TAILWAVE_NVCC");
  std::vector<Words> commands{named};
  if (named.empty()) {
    commands = {{"nvcc"}};
    for (const fs::path& root : toolkits) commands.push_back({(root / "bin/nvcc").string()});
  }
  for (const Words& command : commands) {
    const std::string answer = answer_of(command, {"--version"});
    if (answer.empty()) continue;
    const std::string macros = macros_of(command);
    const std::string host = value_of(macros, "__VERSION__");
    return std::make_shared<const NvccToolchain>(
        command, full_architecture(compute_capability),
        fmt::format("nvcc {}{}{}", release_in(answer), host.empty() ? "" : ", host compiler ", host), macros);
  }
  if (!named.empty()) {
    why_not = fmt::format("no nvcc: $TAILWAVE_NVCC, which is '{}', does not answer to --version",
                          fmt::join(named, " "));
    return nullptr;
  }
  why_not = "no nvcc found: $TAILWAVE_NVCC is not set, and none answers to --version on PATH";
  for (const fs::path& root : toolkits) why_not += fmt::format(", in {}", (root / "bin").string());
  return nullptr;
}

NvccToolchain::NvccToolchain(Words command, std::string architecture, std::string version,
                             const std::string& macros)
    : command_(std::move(command)),
      architecture_(std::move(architecture)),
      version_(std::move(version)),
      identity_(content_hash(macros)),
      has_gcc_(macros.find("#define __clang__ ") == std::string::npos) {}

std::vector<std::string> NvccToolchain::base_flags() const {
  // -fno-gnu-unique: two builds of one source would share static objects of templates, and the stream.
  return {"-std=c++17", "-O3", "-arch=sm_" + architecture_, "--cudart=static",
          fmt::format("-Xcompiler=-fPIC,-fvisibility=hidden,-fdiagnostics-color=never{}",
                      has_gcc_ ? ",-fno-gnu-unique" : "")};
}

std::vector<std::string> NvccToolchain::extra_flags() {
  Words flags = words_in_environment("NVCC_PREPEND_FLAGS");
  append(flags, words_in_environment("NVCC_APPEND_FLAGS"));
  return flags;
}

std::vector<fs::path> NvccToolchain::folders() const {
  Words programs = command_;
  append(programs, words_in_environment("NVCC_CCBIN"));
  std::vector<fs::path> all;
  for (const std::string& word : programs) {
    if (const fs::path program = found_on_path(word); !program.empty())
      all.push_back(installation_of(program));
    // Where it is a link, parts may be looked for beside the link.
    if (word.starts_with('/')) all.push_back(installation_of(word));
  }
  return all;
}

NvccToolchain::Result NvccToolchain::compile(const std::string& unit, const std::vector<File>& headers,
                                             const std::vector<std::string>& includes, const Words& flags,
                                             double deadline_s, bool is_whole) const {
  const UnitFolder folder(".cu", unit, headers);
  Words common = command_;
  append(common, base_flags());
  const CompileSteps steps(folder.path(), deadline_s, "nvcc");
  const auto run = [&](const Words& command) {
    try {
      return steps.run(command);
    } catch (const Failure& failure) {
      throw Failure(failure.outcome(), first_errors(failure.what()));
    }
  };
  Words compile = common;
  append(compile, flags);
  append(compile, folder.flags(includes));
  Result result;
  result.log = run(compile);
  result.inputs = folder.inputs("nvcc");
  leave_out_known(result.inputs);

  // Options name libraries, which come after what needs them.
  Words link = common;
  append(link, {"-shared", folder.object().string(), "-o", folder.library().string()});
  append(link, flags);
  if (is_whole) append(link, {"-Xlinker=-z,defs"});
  static_cast<void>(run(link));
  result.code = read_file(folder.library());
  return result;
}

}  // namespace tailwave
