#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "compile/cache.h"
#include "compile/cpu/toolchain.h"
#include "compile/nvcc_toolchain.h"
#include "compile/nvrtc.h"
#include "measure/python_reference.h"
#include "spec/experiment.h"

namespace tailwave {

struct SandboxOptions {
  std::vector<std::string> allowed;  // folders and files that compilers and measured code may read, too
  bool required = false;
};

// `--allow` and `--require-sandbox`.
void add_sandbox_options(Command& command, SandboxOptions& options);

// Confines the processes that compile and run what others wrote, those that start from now on: to what the options
// allow and what is cached. One remark where this system cannot do all of it; throws Error for that where a sandbox is
// required, and for what is to be allowed and is not there.
void set_sandboxes(const SandboxOptions& options, const ArtifactCache& cache, const Console& console);
// Their sandboxes get what they need of these; the compilers may be null.
void allow_project(const Experiment& experiment);
// References in Python run where code of the host does.
void allow_python(const Python& python);
void allow_host_compiler(const HostToolchain* toolchain);
// And NVSHMEM beside it, which those that use a GPU read, too.
void allow_nvrtc(const NvrtcLibrary* nvrtc);
void allow_nvcc(const NvccToolchain* nvcc);
// What counts on a GPU reads the library that it is found in, and what that needs.
void allow_counters(const std::vector<std::filesystem::path>& libraries);
}  // namespace tailwave
