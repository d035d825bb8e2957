#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/confinement.h"
#include "cli/console.h"
#include "compile/nvrtc_compiler.h"
#include "tune/plan.h"

namespace tailwave {

// Devices that code is compiled for without having them, and a compiler for each target that they need.
struct PlanTargets {
  std::string compiler_version;
  std::filesystem::path library;  // NVRTC's
  std::map<int, std::unique_ptr<NvrtcCompiler>> compilers;
  std::vector<PlannedDevice> devices;
};

// Loads NVRTC and confines what is compiled from now on. `command`: who needs it. Throws Error where there is no NVRTC.
PlanTargets make_targets(const std::string& command, std::vector<DeviceSpec> specs,
                         const SandboxOptions& sandbox, const Console& console);

// Of devices that NVRTC has no target for.
void warn_of_other_code(const PlanTargets& targets, const Console& console);

}  // namespace tailwave
