#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compile/artifact.h"
#include "compile/cache.h"
#include "compile/cpu/toolchain.h"
#include "compile/project_sources.h"
#include "core/hash.h"

namespace tailwave {

// What the content keys of one compiler share.
struct HostKeys {
  SourceDigests sources;
  std::mutex mutex;
  std::map<std::string, FieldHasher> begun;  // by the source's digest: up to the embedded headers
};

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
  ArtifactCache cache_;
  std::shared_ptr<const HostToolchain> toolchain_;
  HostKeys keys_;
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
  ArtifactCache cache_;
  std::shared_ptr<const HostToolchain> toolchain_;
  HostKeys keys_;
};

// What CpuKernelCompiler or HostCompiler gives to the host compiler for a request, for who makes something else of it.
// Throws as its build() does.
struct SourceUnit {
  std::string text;
  std::vector<HostToolchain::File> headers;  // to be put beside the unit
  std::vector<std::string> includes;         // folders among the headers, for #include
  std::vector<std::string> flags;            // of the language and the variant's options
};
SourceUnit kernel_unit(const BuildRequest& request);
SourceUnit host_unit(const BuildRequest& request);
// The text of a header of cpu/include, "tailwave_abi.h".
std::string_view cpu_header(std::string_view name);

}  // namespace tailwave
