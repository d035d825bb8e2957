#include "cli/confinement.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "compile/allowed_inputs.h"
#include "compile/nvshmem_home.h"
#include "core/error.h"
#include "core/resource_limits.h"
#include "core/sandbox.h"
#include "device/cpu/grid_runner.h"
#include "device/cpu/sanitizer.h"
#include "spec/paths.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> canonical_paths(const std::vector<std::string>& allowed) {
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

// These are facts of the machine, not of how much of it is free now: what ends at one would do so again. Where memory is
// short because of others, the system ends a process instead, which is known as no fact of a configuration.
std::uint64_t most_memory() {
  return sanitizer::kActive ? 0 : memory_of_this_machine() / 10 * 9;  // AddressSanitizer reserves terabytes
}

// The buffers of what is measured are memory files. The CPU device limits its memory itself.
ResourceLimits limits_on_cpu() {
  constexpr std::uint64_t kSpareTasks = 4096;
  return {.data_bytes = 0,
          .file_bytes = memory_of_this_machine(),
          .tasks = tasks_of_this_user() + kMaxCooperativeThreads + kSpareTasks};
}

ResourceLimits limits_on_gpu() {
  return {.data_bytes = most_memory(), .file_bytes = memory_of_this_machine(), .tasks = 0};
}

ResourceLimits limits_of_compilers() {
  return {.data_bytes = most_memory(), .file_bytes = std::uint64_t{1} << 30, .tasks = 0};
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

void set_sandboxes(const SandboxOptions& options, const ArtifactCache& cache, const Console& console) {
  say_gap(options, console);
  Sandbox common{.read = canonical_paths(options.allowed), .write = {}, .limits = limits_on_cpu()};
  set_allowed_inputs(common.read);
  for (fs::path& folder : loader_folders()) common.read.push_back(std::move(folder));
  // Not the root of the cache, which has what is expected and the number of the draw.
  common.read.push_back(cache.artifacts());
  const fs::path own_kernels = cache.root() / "selftest";
  std::error_code ignored;
  fs::create_directory(own_kernels, ignored);  // a rule is for what is there
  common.read.push_back(own_kernels);
  set_sandbox(Confined::host_code, common);
  common.limits = limits_on_gpu();
  set_sandbox(Confined::device_code, common);
  extend_sandbox(Confined::device_code, {.read = {}, .write = gpu_nodes()});
  common.write.push_back(cache.artifacts());
  common.marks_files = true;
  common.limits = limits_of_compilers();
  set_sandbox(Confined::compiler, common);
  setenv("CCACHE_DISABLE", "1", 1);  // it could not write; what it would keep is cached here
}

void allow_project(const Experiment& experiment) {
  const Sandbox project{.read = {folder_of_record(experiment), experiment.system.directory}, .write = {}};
  for (const Confined what : {Confined::host_code, Confined::device_code, Confined::compiler})
    extend_sandbox(what, project);
}

void allow_python(const Python& python) {
  extend_sandbox(Confined::host_code, {.read = python.folders, .write = {}});
}

// Code may need libraries that came with its compiler.
void allow_host_compiler(const HostToolchain* toolchain) {
  if (toolchain == nullptr) return;
  for (const Confined what : {Confined::host_code, Confined::compiler})
    extend_sandbox(what, {.read = toolchain->folders(), .write = {}});
}

void allow_nvrtc(const NvrtcLibrary* nvrtc) {
  if (nvrtc == nullptr) return;
  Sandbox more{.read = nvrtc->include_folders(), .write = gpu_nodes()};  // it initialises CUDA
  more.read.push_back(nvrtc->file().parent_path());
  extend_sandbox(Confined::compiler, more);
  std::string why_not;
  if (const auto nvshmem = find_nvshmem(nvrtc->file(), why_not))
    for (const Confined what : {Confined::compiler, Confined::device_code})
      extend_sandbox(what, {.read = {nvshmem->folder}, .write = {}});
}

void allow_nvcc(const NvccToolchain* nvcc) {
  if (nvcc != nullptr) extend_sandbox(Confined::compiler, {.read = nvcc->folders(), .write = {}});
}

void allow_counters(const std::vector<fs::path>& libraries) {
  Sandbox more;
  for (const fs::path& library : libraries)
    if (library.is_absolute()) more.read.push_back(library.parent_path());
  extend_sandbox(Confined::device_code, more);
}

}  // namespace tailwave
