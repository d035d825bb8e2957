#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compile/cache.h"
#include "compile/nvrtc.h"
#include "compile/nvshmem_home.h"

namespace tailwave {

// What makes programs of kernels that use NVSHMEM. Its headers take NVRTC seconds: they are compiled once into functions
// that kernels are linked with, and kept in the cache.
class NvshmemCode {
 public:
  NvshmemCode(std::shared_ptr<const NvrtcLibrary> nvrtc, ArtifactCache cache, int target);

  // What such kernels include: <nvshmem.h> and <nvshmemx.h>.
  static std::map<std::string, std::string> headers();
  // For content keys.
  [[nodiscard]] std::string identity() const;
  // A program of a kernel's relocatable machine code. Throws Failure: unavailable without NVSHMEM or nvJitLink,
  // compile_error with the linker's log.
  [[nodiscard]] std::string link(std::string_view code) const;

 private:
  [[nodiscard]] std::string functions() const;

  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  ArtifactCache cache_;
  int target_;
  std::string why_not_;
  std::optional<NvshmemHome> home_;
};

}  // namespace tailwave
