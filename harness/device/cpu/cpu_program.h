#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/cpu/include/tailwave_abi.h"
#include "device/argument_values.h"
#include "device/cpu/leftovers.h"
#include "device/cpu/library_variables.h"
#include "device/executor.h"
#include "device/host_library.h"

namespace tailwave {

// A shared object that a host compiler made of a template or of a host variant; unloaded when destroyed.
class CpuProgram : public Program {
 public:
  // Throws what HostLibrary does, and Failure(launch_failed) for a cubin.
  explicit CpuProgram(const Artifact& artifact);

  // Throws Failure(launch_failed) when there is no such kernel or function.
  [[nodiscard]] const tailwave_cpu::Entry& entry(const std::string& kernel) const {
    return library_.entry(kernel);
  }
  // The memory of a global variable. Throws Failure(launch_failed) when there is none of that name.
  [[nodiscard]] std::span<std::byte> variable(const std::string& name) const;
  // What has come into this process since its code was loaded, as Leftovers::find says it, whoever brought it: another
  // executor's threads, too.
  [[nodiscard]] std::string left_behind() const { return before_.find(); }
  // For as long as this process lives: something may still run in it.
  void stay_loaded() const { library_.stay_loaded(); }
  // Gives all variables of the shared object, but for thread-local ones, what they held when it was loaded.
  void restore_variables() const { variables_->restore(); }

 private:
  Leftovers before_;
  HostLibrary library_;
  std::optional<LibraryVariables> variables_;
};

// The arguments of a launch as the entry takes them. Throws Failure(launch_failed) where number, sizes or kinds do
// not fit the parameters. Must not outlive the launch.
class PackedArguments {
 public:
  PackedArguments() = default;
  PackedArguments(const tailwave_cpu::Entry& entry, const Launch& launch);
  [[nodiscard]] void** get() { return pointers_.data(); }

 private:
  ArgumentValues values_;
  std::vector<void*> pointers_;
};

}  // namespace tailwave
