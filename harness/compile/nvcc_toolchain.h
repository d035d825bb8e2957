#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/cuda_toolkit.h"
#include "compile/unit_compiler.h"
#include "core/outcome.h"

namespace tailwave {

// nvcc, found at run time, for one GPU. What it makes has the CUDA runtime in it (libcudart_static), so that it loads wherever the
// driver is, and works in the context that is current.
class NvccToolchain : public UnitCompiler {
 public:
  // The first that answers to --version: nvcc on PATH, bin/nvcc of the toolkits; or $TAILWAVE_NVCC alone, where it is set
  // (may have arguments: "nvcc -ccbin g++-12"). Null when there is none: `why_not` says where it was looked for.
  static std::shared_ptr<const NvccToolchain> find(
      int compute_capability, std::string& why_not,
      const std::vector<std::filesystem::path>& toolkits = toolkit_roots());

  // `architecture`: "90a". `macros`: what it and its host compiler define before any source, by which another host compiler
  // is told.
  NvccToolchain(std::vector<std::string> command, std::string architecture, std::string version,
                const std::string& macros);

  [[nodiscard]] const std::string& version() const override {
    return version_;  // "nvcc 13.0.88, host compiler 12.2.0"
  }
  [[nodiscard]] const std::string& identity() const override { return identity_; }
  // C++17 and -O3, for the GPU alone.
  [[nodiscard]] std::vector<std::string> base_flags() const override;
  // What nvcc takes from the environment by itself: $NVCC_PREPEND_FLAGS, $NVCC_APPEND_FLAGS.
  static std::vector<std::string> extra_flags();
  // Where programs of the command and their parts lie beside the system's folders.
  [[nodiscard]] std::vector<std::filesystem::path> folders() const;

  // Of errors the first lines. Headers of the toolkit are no inputs: version() stands for them.
  [[nodiscard]] Result compile(const std::string& unit, const std::vector<File>& headers,
                               const std::vector<std::string>& includes,
                               const std::vector<std::string>& flags,
                               double deadline_s = kDefaultBuildDeadlineS,
                               bool is_whole = false) const override;

 private:
  std::vector<std::string> command_;
  std::string architecture_;
  std::string version_;
  std::string identity_;
  bool has_gcc_ = false;
};

// Of nvcc's log the lines from the first error on, with those before it that say by whom a header is included; 30 at most.
std::string first_errors(const std::string& log);

}  // namespace tailwave
