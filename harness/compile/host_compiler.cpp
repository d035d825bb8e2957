#include "compile/host_compiler.h"

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "compile/cpu/translator.h"
#include "compile/prelude.h"
#include "core/outcome.h"
#include "spec/compiler_options.h"

namespace tailwave {
namespace {

using Flags = std::vector<std::string>;

Flags host_flags(const BuildRequest& request) {
  Flags flags{"-std=c++20", "-ffp-contract=off"};
  for (std::string& option : expand_options(*request.variant, request.configuration))
    flags.push_back(std::move(option));
  return flags;
}

// `option` without the first of the prefixes that it has, after which there is an '='.
std::optional<std::string> option_value(const std::string& option,
                                        std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (option.starts_with(name) && option.size() > name.size() && option[name.size()] == '=')
      return option.substr(name.size() + 1);
  return std::nullopt;
}

Flags kernel_flags(const BuildRequest& request) {
  Flags flags{"-std=c++17", "-fno-exceptions", "-ffp-contract=fast", "-fno-trapping-math"};
  for (const std::string& option : expand_options(*request.variant, request.configuration)) {
    if (option == "--use_fast_math" || option == "-use_fast_math") {
      // A GPU knows infinities, NaNs and the sign of 0 all the same; without them GCC adds what a branch leaves out.
      flags.insert(flags.end(), {"-ffast-math", "-fno-finite-math-only", "-fsigned-zeros"});
    } else if (const auto contract = option_value(option, {"--fmad", "-fmad"})) {
      flags.push_back(fmt::format("-ffp-contract={}", *contract == "false" ? "off" : "fast"));
    } else if (const auto language = option_value(option, {"--std", "-std"})) {
      if (!asks_for_older_cpp(option)) flags.push_back("-std=" + *language);
    } else if (const auto macro = option_value(option, {"--define-macro"})) {
      flags.push_back("-D" + *macro);
    } else if (option.starts_with("-D")) {
      flags.push_back(option);
    }
  }
  return flags;
}

const UnitRecipe kHostRecipe{Artifact::Kind::host_library,
                             "tailwave_host.h",
                             {"tailwave_", "cuda_fp", "cuda_bf"},
                             "host_entry",
                             [](std::string_view text) { return std::string(text); },
                             host_flags,
                             HostToolchain::extra_flags,
                             false};
const UnitRecipe kKernelRecipe{Artifact::Kind::cpu_kernels,
                               "tailwave_cuda.h",
                               {"", "", ""},
                               "kernel_entry",
                               translate_for_cpu,
                               kernel_flags,
                               HostToolchain::extra_flags,
                               true};

constexpr const char* kNoCompiler =
    "no host compiler found: none of $CXX, g++, clang++ and c++ answers to --version";

std::string obstacle_of(const UnitBuilder& builder) {
  return builder.has_compiler() ? "" : kNoCompiler;
}

Artifact built(UnitBuilder& builder, const BuildRequest& request) {
  if (!builder.has_compiler()) throw Failure(Outcome::compile_error, kNoCompiler);
  return builder.build(request);
}

void require_available(const VariantSpec& variant) {
  if (const std::string& why_not = variant.unavailable_on_cpu; !why_not.empty())
    throw Failure(Outcome::unavailable, why_not);
}

}  // namespace

SourceUnit kernel_unit(const BuildRequest& request) {
  require_available(*request.variant);
  return unit_of(kKernelRecipe, request);
}

SourceUnit host_unit(const BuildRequest& request) {
  return unit_of(kHostRecipe, request);
}

HostCompiler::HostCompiler(ArtifactCache cache, std::shared_ptr<const HostToolchain> toolchain)
    : builder_(kHostRecipe, std::move(cache), std::move(toolchain), HostToolchain::cpu_identity()) {}

Artifact HostCompiler::build(const BuildRequest& request) {
  return built(builder_, request);
}

std::string HostCompiler::key(const BuildRequest& request) {
  return builder_.key(request);
}

std::string HostCompiler::obstacle() const {
  return obstacle_of(builder_);
}

std::string HostCompiler::version() const {
  return builder_.version();
}

CpuKernelCompiler::CpuKernelCompiler(ArtifactCache cache, std::shared_ptr<const HostToolchain> toolchain)
    : builder_(kKernelRecipe, std::move(cache), std::move(toolchain), HostToolchain::cpu_identity()) {}

Artifact CpuKernelCompiler::build(const BuildRequest& request) {
  require_available(*request.variant);
  return built(builder_, request);
}

std::string CpuKernelCompiler::key(const BuildRequest& request) {
  return builder_.key(request);
}

std::string CpuKernelCompiler::obstacle() const {
  return obstacle_of(builder_);
}

std::string CpuKernelCompiler::version() const {
  return builder_.version();
}

}  // namespace tailwave
