#include "compile/nvshmem_code.h"

#include <fmt/format.h>

#include <utility>

#include "compile/device_linker.h"
#include "compile/embedded.h"
#include "compile/prelude.h"
#include "core/hash.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

constexpr const char* kFunctions = "tailwave_nvshmem_functions.inc";

std::string text_of(const char* file) {
  return std::string(embedded::compile::file(fmt::format("nvshmem/{}", file)));
}

std::vector<std::string> wrapper_options(int target, const NvrtcLibrary& nvrtc, const NvshmemHome& home) {
  std::vector<std::string> options{fmt::format("--gpu-architecture=sm_{}", target),
                                   "--relocatable-device-code=true", "--std=c++17",
                                   "--device-as-default-execution-space"};
  options.insert(options.end(), nvrtc.own_options().begin(), nvrtc.own_options().end());
  for (const auto& folder : nvrtc.include_folders()) options.push_back("--include-path=" + folder.string());
  options.push_back("--include-path=" + (home.folder / "include").string());
  return options;
}

}  // namespace

NvshmemCode::NvshmemCode(std::shared_ptr<const NvrtcLibrary> nvrtc, ArtifactCache cache, int target)
    : nvrtc_(std::move(nvrtc)),
      cache_(std::move(cache)),
      target_(target),
      home_(find_nvshmem(nvrtc_->file(), why_not_)) {}

std::map<std::string, std::string> NvshmemCode::headers() {
  return {{"nvshmem.h", text_of("header.inc")},
          {"nvshmemx.h", "#include <nvshmem.h>\n"},
          {kFunctions, text_of("functions.inc")}};
}

std::string NvshmemCode::identity() const {
  FieldHasher hasher;
  hasher.add("nvshmem").add(home_ ? home_->version : "none").add(std::to_string(target_));
  hasher.add(nvrtc_->version()).add(nvrtc_->headers_version());
  for (const char* file : {"functions.inc", "header.inc", "wrapper.cu"}) hasher.add(text_of(file));
  return hasher.digest();
}

std::string NvshmemCode::functions() const {
  const std::string key = identity();
  if (const auto known = cache_.find(key)) return read_file(known->file);
  const NvrtcResult compiled =
      nvrtc_->compile(text_of("wrapper.cu"), "nvshmem/wrapper.cu", {},
                      wrapper_options(target_, *nvrtc_, *home_), {{kFunctions, text_of("functions.inc")}});
  if (!compiled.succeeded)
    throw Failure(Outcome::unavailable,
                  fmt::format("NVSHMEM {}: its headers do not compile: {}", home_->version, compiled.log));
  Artifact artifact;
  artifact.record.key = key;
  artifact.record.compiler = nvrtc_->version();
  artifact.record.target = fmt::format("sm_{}", target_);
  cache_.store(artifact, compiled.cubin);
  return compiled.cubin;
}

std::string NvshmemCode::link(std::string_view code) const {
  if (!home_) throw Failure(Outcome::unavailable, why_not_);
  std::string no_linker;
  const auto linker = DeviceLinker::load(nvrtc_->file(), no_linker);
  if (!linker) throw Failure(Outcome::unavailable, no_linker);
  const std::string wrapped = functions();
  DeviceLinker::Result linked = linker->link(target_, {code, wrapped}, home_->device_library);
  if (!linked.succeeded) throw Failure(Outcome::compile_error, linked.log);
  return std::move(linked.cubin);
}

}  // namespace tailwave
