#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compile/cpu/toolchain.h"
#include "core/configuration.h"
#include "spec/system.h"

namespace tailwave {

// What functions of the host fill buffers with (System::makers), each called in a program of its own. Safe to use from
// several threads at once.
class BufferMaker {
 public:
  // `shared` is a folder in which all programs' common part is made, when there is a first one.
  BufferMaker(std::shared_ptr<const HostToolchain> toolchain, std::filesystem::path shared);

  // The contents of the buffer for a configuration. `folder` is for what it takes. Throws Failure(unavailable) where the
  // function does not build or run, with the reason, and Error for a file that cannot be written.
  [[nodiscard]] std::vector<std::byte> make(const System& system, const Configuration& configuration,
                                            const std::string& buffer,
                                            const std::filesystem::path& folder) const;

  static constexpr double kDeadlineS = 60;  // of a function

 private:
  void build_caller() const;
  void build(const System& system, const Configuration& configuration,
             const std::filesystem::path& folder) const;

  std::shared_ptr<const HostToolchain> toolchain_;
  std::filesystem::path shared_;
  mutable std::once_flag built_;
};

}  // namespace tailwave
