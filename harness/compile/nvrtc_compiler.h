#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/artifact.h"
#include "compile/cache.h"
#include "compile/nvcc_likeness.h"
#include "compile/nvrtc.h"
#include "compile/nvshmem_code.h"
#include "compile/project_sources.h"

namespace tailwave {

// Builds `cuda` variants as cubins with NVRTC. Options: the target, C++17, line information (which leaves the
// code as it is), the system's folder and the toolkit's headers as include paths, then the variant's own, so
// that those win. NvrtcLibrary::lean_option() is tried first; a template that does not compile with it is compiled
// without. What nvcc takes and NVRTC does not is made up for where an error shows that a source needs it (compile/nvcc_likeness.h).
//
// Kernels of variants with processing elements may use NVSHMEM (compile/nvshmem_code.h), and are linked with it; what it
// lacks makes them Failure(unavailable).
//
// A GPU that this NVRTC cannot target gets code for nearest_target(): record.target then differs from
// "sm_<compute capability>" and the first line of record.log says so. Such code tells resources, but runs on
// that GPU only within its major version.
class NvrtcCompiler : public Compiler {
 public:
  NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> nvrtc, ArtifactCache cache, int compute_capability);

  // Failure(compile_error): NVRTC's log, or "kernel 'x' not found in nbody/shared.cu: <cause>".
  Artifact build(const BuildRequest& request) override;
  std::string key(const BuildRequest& request) override;
  std::optional<Ptx> ptx(const BuildRequest& request) override;
  [[nodiscard]] std::string version() const override { return nvrtc_->version(); }
  [[nodiscard]] int target() const { return target_; }  // 90 for sm_90

 private:
  // "90a" where code for the target may use what it alone has (wgmma, setmaxnreg), else "80".
  [[nodiscard]] std::string architecture(const BuildRequest& request) const;
  Artifact build_prebuilt(const BuildRequest& request, const std::string& content_key);
  // `own_options` become those that it compiled with, without include paths.
  NvrtcResult compile(const BuildRequest& request, std::vector<std::string>& own_options);

  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  ArtifactCache cache_;
  SourceDigests sources_;
  int compute_capability_;
  int target_;
  NvshmemCode nvshmem_;
  std::map<std::filesystem::path, NvccLikeness> likeness_;  // of sources, as far as they compiled
  std::set<std::filesystem::path> whole_;  // sources that do not compile with the lean option
};

}  // namespace tailwave
