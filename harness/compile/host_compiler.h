#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "compile/cache.h"
#include "compile/cpu/toolchain.h"
#include "compile/unit_builder.h"
#include "compile/unit_source.h"

namespace tailwave {

// Builds `host` variants, and fp64 references among them: C++20 at -O3 for this machine, as ISO C++ says, without
// -ffast-math and without contracting a * b + c, so that the same numbers come out on every CPU. A manifest's
// `options` are passed on as they are and may change that for one variant; $TAILWAVE_HOST_CXXFLAGS come last.
// The functions must be extern "C".
class HostCompiler : public Compiler {
 public:
  // Without a toolchain (null) every build() throws Failure(compile_error, "no host compiler found ...").
  explicit HostCompiler(ArtifactCache cache,
                        std::shared_ptr<const HostToolchain> toolchain = HostToolchain::find());

  Artifact build(const BuildRequest& request) override;
  std::string key(const BuildRequest& request) override;
  [[nodiscard]] std::string obstacle() const override;
  [[nodiscard]] std::string version() const override;  // "none" without a toolchain

 private:
  UnitBuilder builder_;
};

// Builds `cuda` variants for the CPU device: the same template as C++17, NVRTC's default, against the headers in
// cpu/include. Like NVRTC it contracts a * b + c and ignores errno. Of a variant's options it takes --use_fast_math
// (-ffast-math, with infinities, NaNs and signed zeros), --fmad=false, --std (C++17 at least) and -D; those that concern
// the GPU only, all others, are left out.
class CpuKernelCompiler : public Compiler {
 public:
  // As HostCompiler.
  explicit CpuKernelCompiler(ArtifactCache cache,
                             std::shared_ptr<const HostToolchain> toolchain = HostToolchain::find());

  // Failure(compile_error): the compiler's words, or "kernel 'x' not found in nbody/shared.cu: <cause>".
  Artifact build(const BuildRequest& request) override;
  std::string key(const BuildRequest& request) override;
  [[nodiscard]] std::string obstacle() const override;
  [[nodiscard]] std::string version() const override;

 private:
  UnitBuilder builder_;
};

// What CpuKernelCompiler or HostCompiler gives to the host compiler for a request, for who makes something else of it.
// Throws as its build() does.
SourceUnit kernel_unit(const BuildRequest& request);
SourceUnit host_unit(const BuildRequest& request);

}  // namespace tailwave
