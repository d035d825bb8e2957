#include "listing/disassembler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <system_error>
#include <vector>

#include "compile/cuda_toolkit.h"
#include "core/error.h"
#include "core/process.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr const char* kVariable = "TAILWAVE_NVDISASM";
constexpr std::chrono::seconds kLimit{120};

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

std::vector<fs::path> folders_to_look_in(const fs::path& library) {
  std::vector<fs::path> folders;
  std::istringstream path(environment_text("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  for (const fs::path& root : toolkit_roots()) folders.push_back(root / "bin");
  if (!library.empty()) folders.push_back((library.parent_path() / ".." / "bin").lexically_normal());
  folders.push_back(program_folder());
  return folders;
}

fs::path find_program(const fs::path& library) {
  if (const std::string named = environment_text(kVariable); !named.empty()) {
    if (is_program(named)) return named;
    throw Error(Diagnostic{.file = named,
                           .cause = fmt::format("is no program, though ${} names it", kVariable),
                           .hint = "name nvdisasm or cuobjdump of a CUDA toolkit"});
  }
  const std::vector<fs::path> folders = folders_to_look_in(library);
  for (const char* name : {"nvdisasm", "cuobjdump"})
    for (const fs::path& folder : folders)
      if (is_program(folder / name)) return folder / name;
  throw Error(Diagnostic{
      .cause =
          "machine code cannot be shown: neither nvdisasm nor cuobjdump is on PATH or in bin/ of a CUDA toolkit",
      .hint = fmt::format("install one (pip: nvidia-cuda-nvdisasm), name it with {}, or look at --ptx",
                          kVariable)});
}

// "... release 13.2, V13.2.51" -> "13.2"; "" where nothing says so.
std::string version_in(const std::string& text) {
  constexpr std::string_view kBefore = "release ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return "";
  const std::string rest = text.substr(at + kBefore.size());
  return rest.substr(0, rest.find_first_not_of("0123456789."));
}

}  // namespace

std::string Disassembler::disassemble(const fs::path& cubin) const {
  const bool dumps = program.filename() == "cuobjdump";
  ProcessResult result = run_process({program.string(), dumps ? "-sass" : "-c", cubin.string()}, kLimit);
  if (result.timed_out)
    throw Error(fmt::format("{}: did not end within {} s", program.string(), kLimit.count()));
  if (result.exit_status != 0)
    throw Error(fmt::format("{}: ended with status {}: {}", program.string(), result.exit_status,
                            result.output.substr(0, result.output.find_last_not_of('\n') + 1)));
  return std::move(result.output);
}

Disassembler find_disassembler(const fs::path& library) {
  Disassembler found{find_program(library), ""};
  const std::string version = version_in(run_process({found.program.string(), "--version"}, kLimit).output);
  found.version = found.program.filename().string() + (version.empty() ? "" : " " + version);
  return found;
}

}  // namespace tailwave
