#include "compile/nvrtc_compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "compile/allowed_inputs.h"
#include "compile/cubin.h"
#include "compile/cuda_toolkit.h"
#include "compile/nvrtc_unit.h"
#include "compile/prebuilt_code.h"
#include "compile/prelude.h"
#include "compile/standard_headers.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/stopwatch.h"
#include "spec/compiler_options.h"

namespace tailwave {
namespace {

// Options that decide about the code and are the same wherever the project lies.
std::vector<std::string> code_options(const BuildRequest& request, const std::string& architecture,
                                      const NvrtcLibrary& nvrtc) {
  std::vector<std::string> own = expand_options(*request.variant, request.configuration);
  std::erase_if(own, is_left_out_for_nvrtc);
  std::erase_if(own, asks_for_older_cpp);
  const bool own_standard = std::any_of(own.begin(), own.end(), [](const std::string& option) {
    return option.starts_with("--std") || option.starts_with("-std");
  });
  std::vector<std::string> options{"--gpu-architecture=sm_" + architecture, "--generate-line-info"};
  options.insert(options.end(), nvrtc.own_options().begin(), nvrtc.own_options().end());
  if (!own_standard) options.emplace_back("--std=c++17");
  // What has no word for where it runs is the device's: headers that host and device share are full of it.
  options.emplace_back("--device-as-default-execution-space");
  if (request.variant->pes) options.emplace_back("--relocatable-device-code=true");
  options.insert(options.end(), std::move_iterator(own.begin()), std::move_iterator(own.end()));
  return options;
}

// Not in a cache yet: symbols, resources, variables and code_hash.
Artifact cubin_artifact(std::string_view code, const std::map<std::string, std::string>& symbols) {
  Artifact artifact;
  artifact.symbols = symbols;
  const Cubin cubin = read_cubin(code);
  for (const auto& [kernel, symbol] : symbols)
    for (KernelResources resources : cubin.kernels) {
      if (resources.kernel != symbol) continue;
      resources.kernel = kernel;
      artifact.resources.push_back(std::move(resources));
    }
  artifact.variables = cubin.variables;
  artifact.record.code_hash = cubin.code_hash;
  return artifact;
}

// What a manifest gives to code that is there already is in no key of a build.
void require_fit(const BuildRequest& request, const std::string& code,
                 const std::map<std::string, std::string>& symbols) {
  const std::string misfit = misfit_of_arguments(*request.variant, code, symbols);
  if (misfit.empty()) return;
  throw Failure(Outcome::compile_error, fmt::format("{}: {}", display_path(request.variant->source), misfit));
}

}  // namespace

NvrtcCompiler::NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> nvrtc, ArtifactCache cache,
                             int compute_capability)
    : nvrtc_(std::move(nvrtc)),
      cache_(std::move(cache)),
      compute_capability_(compute_capability),
      target_(nearest_target(nvrtc_->targets(), compute_capability)),
      nvshmem_(nvrtc_, cache_, target_) {}

std::string NvrtcCompiler::architecture(const BuildRequest& request) const {
  const bool specific = target_ == compute_capability_ && !request.variant->pes;
  return specific ? full_architecture(target_) : std::to_string(target_);
}

std::string NvrtcCompiler::key(const BuildRequest& request) {
  FieldHasher hasher;
  if (request.variant->is_prebuilt()) {
    hasher.add("prebuilt")
        .add(request.variant->source.extension().string())
        .add(read_file(request.variant->source));
    for (const std::string& kernel : kernel_names(*request.variant)) hasher.add(kernel);
    return hasher.add(architecture(request)).add(std::to_string(compute_capability_)).add(version()).digest();
  }
  hasher.add("cubin").add(sources_.of(request.variant->source, request.system->directory));
  hasher.add(define_lines(*request.variant, request.configuration));
  for (const std::string& kernel : kernel_names(*request.variant)) hasher.add(kernel);
  for (const std::string& option : code_options(request, architecture(request), *nvrtc_)) hasher.add(option);
  for (const auto& path : allowed_inputs()) hasher.add(path.string());
  // Those of the project that take the place of one are among its sources.
  hasher.add(standard_headers_digest());
  if (request.variant->pes) hasher.add(nvshmem_.identity());
  // The capability wanted too: record.log tells when it is not the target.
  hasher.add(version()).add(nvrtc_->headers_version()).add(std::to_string(compute_capability_));
  return hasher.digest();
}

NvrtcResult NvrtcCompiler::compile(const BuildRequest& request, std::vector<std::string>& own_options) {
  const std::filesystem::path& source = request.variant->source;
  NvrtcUnit unit = nvrtc_unit(request, own_options, *nvrtc_, likeness_[source]);
  const auto learned = [&](NvrtcResult result) {
    likeness_[source] = unit.like;
    unit.like.add_options(own_options);
    return result;
  };
  if (!nvrtc_->lean_option().empty() && !whole_.contains(source)) {
    NvrtcResult lean = unit.compiled(*nvrtc_, unit.text, nvrtc_->lean_option());
    if (lean.succeeded) return learned(std::move(lean));
  }
  whole_.insert(source);  // what has parts of the host takes two attempts, not three
  NvrtcResult whole = unit.compiled(*nvrtc_, unit.text);
  if (!whole.succeeded) whole = compile_without_host_code(*nvrtc_, unit, request, whole.log);
  return learned(std::move(whole));
}

Artifact NvrtcCompiler::build_prebuilt(const BuildRequest& request, const std::string& content_key) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path& file = request.variant->source;
  PrebuiltCode prebuilt = read_prebuilt(file, compute_capability_);
  if (prebuilt.is_ptx) {
    std::string why_not;
    const auto linker = DeviceLinker::load(nvrtc_->file(), why_not);
    if (!linker) throw Failure(Outcome::unavailable, why_not);
    prebuilt.code = assembled(prebuilt, file, architecture(request), *linker);
  }
  const std::string& code = prebuilt.code;
  Artifact artifact = cubin_artifact(code, symbols_in(code, kernel_names(*request.variant), file));
  require_fit(request, code, artifact.symbols);
  BuildRecord& record = artifact.record;
  record.key = content_key;
  record.compiler = prebuilt.is_ptx ? "nvJitLink beside " + version() : "none";
  record.target = fmt::format("sm_{}", prebuilt.is_ptx ? target_ : compute_capability_);
  record.seconds = seconds_since(start);
  cache_.store(artifact, code);
  return artifact;
}

Artifact NvrtcCompiler::build(const BuildRequest& request) {
  const std::string content_key = key(request);
  if (auto known = cache_.find(content_key)) {
    if (request.variant->is_prebuilt()) require_fit(request, read_file(known->file), known->symbols);
    return *known;
  }

  if (request.variant->is_prebuilt()) return build_prebuilt(request, content_key);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> options = code_options(request, architecture(request), *nvrtc_);
  NvrtcResult compiled = compile(request, options);
  std::set<std::string> own_variables;
  if (request.variant->pes) {
    own_variables = variables_named_in(compiled.cubin);
    compiled.cubin = nvshmem_.link(compiled.cubin);
  }
  Artifact artifact = cubin_artifact(compiled.cubin, compiled.symbols);
  // NVSHMEM's own state goes on from launch to launch.
  if (request.variant->pes)
    std::erase_if(artifact.variables, [&](const std::string& name) { return !own_variables.contains(name); });
  BuildRecord& record = artifact.record;
  record.key = content_key;
  record.compiler = version();
  record.target = fmt::format("sm_{}", target_);
  record.options = fmt::format("{}", fmt::join(options, " "));
  if (target_ != compute_capability_)
    record.log = fmt::format("{} has no target sm_{}; this is code for sm_{}", version(), compute_capability_,
                             target_);
  if (!record.log.empty() && !compiled.log.empty()) record.log += '\n';
  record.log += compiled.log;
  record.seconds = seconds_since(start);
  cache_.store(artifact, compiled.cubin);
  return artifact;
}

std::optional<Ptx> NvrtcCompiler::ptx(const BuildRequest& request) {
  if (request.variant->pes)
    throw Failure(Outcome::unavailable,
                  "what uses NVSHMEM is linked of machine code: there is no PTX to change");
  if (request.variant->is_prebuilt())
    throw Failure(Outcome::unavailable, "what is code already is run as it is: there is no PTX to change");
  std::vector<std::string> options = code_options(request, architecture(request), *nvrtc_);
  options.front() = "--gpu-architecture=compute_" + architecture(request);
  NvrtcResult compiled = compile(request, options);
  return Ptx{std::move(compiled.ptx), std::move(compiled.symbols)};
}

}  // namespace tailwave
