#pragma once

#include <memory>
#include <string>

#include "compile/artifact.h"
#include "compile/cache.h"
#include "compile/nvcc_toolchain.h"
#include "compile/unit_builder.h"

namespace tailwave {

// Builds library variants in CUDA C++ (VariantSpec::is_nvcc_code) by nvcc: with their parameters as macros, as host variants, and
// with the CUDA runtime and kernels of their own, for the run's GPU. A manifest's `options` are passed on as they are.
class NvccCompiler : public Compiler {
 public:
  // Without a toolchain (null) every build() throws Failure(unavailable) with `why_not`.
  NvccCompiler(ArtifactCache cache, std::shared_ptr<const NvccToolchain> toolchain, std::string why_not = "");

  Artifact build(const BuildRequest& request) override;
  std::string key(const BuildRequest& request) override;
  [[nodiscard]] std::string version() const override;  // "none" without a toolchain

 private:
  std::string why_not_;
  UnitBuilder builder_;
};

}  // namespace tailwave
