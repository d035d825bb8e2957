#include "compile/nvcc_compiler.h"

#include <string_view>
#include <utility>

#include "compile/prelude.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

const UnitRecipe kRecipe{
    Artifact::Kind::gpu_library,
    "tailwave_host.h",
    {"tailwave_host", "tailwave_abi", "tailwave_host"},
    "host_entry",
    [](std::string_view text) { return std::string(text); },
    [](const BuildRequest& request) { return expand_options(*request.variant, request.configuration); },
    NvccToolchain::extra_flags,
    true};

}  // namespace

NvccCompiler::NvccCompiler(ArtifactCache cache, std::shared_ptr<const NvccToolchain> toolchain,
                           std::string why_not)
    : why_not_(std::move(why_not)), builder_(kRecipe, std::move(cache), std::move(toolchain), "no nvcc") {}

Artifact NvccCompiler::build(const BuildRequest& request) {
  if (!builder_.has_compiler()) throw Failure(Outcome::unavailable, why_not_);
  return builder_.build(request);
}

std::string NvccCompiler::key(const BuildRequest& request) {
  return builder_.key(request);
}

std::string NvccCompiler::version() const {
  return builder_.version();
}

}  // namespace tailwave
