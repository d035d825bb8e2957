#include "cli/confinement.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <system_error>

#include "core/error.h"
#include "core/sandbox.h"
#include "spec/paths.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> allowed_paths(const std::vector<std::string>& allowed) {
  std::vector<fs::path> paths;
  for (const std::string& path : allowed) {
    std::error_code error;
    paths.push_back(fs::canonical(path, error));
    if (error)
      throw Error(Diagnostic{.file = path,
                             .cause = "cannot be allowed: " + error.message(),
                             .hint = "--allow takes a folder or file that compilers and kernels may read"});
  }
  return paths;
}

// Where the loader looks for libraries, by the user's own will.
std::vector<fs::path> loader_folders() {
  std::vector<fs::path> folders;
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  std::istringstream stream(path == nullptr ? "" : path);
  for (std::string folder; std::getline(stream, folder, ':');)
    if (folder.starts_with('/') && folder != "/") folders.emplace_back(folder);
  return folders;
}

std::vector<fs::path> gpu_nodes() {
  std::vector<fs::path> nodes{"/dev/shm", "/dev/dxg"};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev", ignored))
    if (entry.path().filename().string().starts_with("nvidia")) nodes.push_back(entry.path());
  return nodes;
}

void say_gap(const SandboxOptions& options, const Console& console) {
  const std::string gap = sandbox_gap();
  if (gap.empty()) return;
  if (options.required)
    throw Error(Diagnostic{.cause = "--require-sandbox: " + gap,
                           .hint = "'tailwave --version' says what this system offers"},
                Error::kRunFailed);
  console.note(fmt::format("sandbox: {}\n", gap));
}

}  // namespace

void add_sandbox_options(Command& command, SandboxOptions& options) {
  command
      .add_option("--allow", options.allowed,
                  "a folder or file outside the project that compilers and kernels may read; may be repeated")
      ->one_value_each();
  command.add_flag("--require-sandbox", options.required,
                   "refuse to work where compilers and kernels cannot be confined");
}

void set_sandboxes(const SandboxOptions& options, const std::vector<Experiment>& experiments,
                   const ArtifactCache& cache, const Console& console) {
  say_gap(options, console);
  Sandbox common{.read = allowed_paths(options.allowed), .write = {}};
  for (const Experiment& experiment : experiments) {
    common.read.push_back(folder_of_record(experiment));
    common.read.push_back(experiment.system.directory);
  }
  for (fs::path& folder : loader_folders()) common.read.push_back(std::move(folder));
  // Not the root of the cache, which has what is expected and the number of the draw.
  common.read.push_back(cache.artifacts());
  common.read.push_back(cache.root() / "selftest");
  set_sandbox(Confined::host_code, common);
  set_sandbox(Confined::device_code, common);
  common.write.push_back(cache.artifacts());
  set_sandbox(Confined::compiler, common);
}

void allow_toolchains(const NvrtcLibrary* nvrtc, const HostToolchain* host) {
  Sandbox more;
  if (host != nullptr) more.read = host->folders();
  if (nvrtc != nullptr) {
    more.read.push_back(fs::path(nvrtc->file()).parent_path());
    for (const fs::path& folder : nvrtc->include_folders()) more.read.push_back(folder);
    more.write = gpu_nodes();  // NVRTC initialises CUDA
  }
  extend_sandbox(Confined::compiler, more);
  extend_sandbox(Confined::device_code, {.write = gpu_nodes()});
}

}  // namespace tailwave
