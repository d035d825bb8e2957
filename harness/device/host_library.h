#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "compile/artifact.h"
#include "compile/cpu/include/tailwave_abi.h"
#include "device/executor.h"

namespace tailwave {

// A shared object that a host compiler made of a template, or of a host or library variant, in this process; unloaded when
// destroyed.
class HostLibrary {
 public:
  // Throws Failure(compile_error) for a file that does not load, Failure(launch_failed) for one that is not of this version
  // of tailwave.
  explicit HostLibrary(const Artifact& artifact);

  // Throws Failure(launch_failed) when there is no such kernel or function.
  [[nodiscard]] const tailwave_cpu::Entry& entry(const std::string& function) const;
  // A symbol of it; null where it has none.
  [[nodiscard]] void* symbol(const std::string& name) const;
  [[nodiscard]] void* handle() const { return library_.get(); }
  // On which stream of a GPU the functions that are called from now on queue their work.
  void use_stream(void* stream) const { *table_->stream = stream; }
  // For as long as this process lives: something may still run in it.
  void stay_loaded() const;

 private:
  struct Close {
    void operator()(void* library) const noexcept;
  };
  std::filesystem::path file_;
  std::unique_ptr<void, Close> library_;
  const tailwave_cpu::Table* table_ = nullptr;
  std::map<std::string, const tailwave_cpu::Entry*> entries_;
};

// Throws Failure(launch_failed) where the number, sizes or kinds of a launch's arguments do not fit the parameters.
void check_parameters(const tailwave_cpu::Entry& entry, const Launch& launch);

}  // namespace tailwave
