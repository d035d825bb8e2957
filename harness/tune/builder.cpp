#include "tune/builder.h"

#include <fmt/format.h>

#include <utility>

#include "compile/cpu/lacking.h"
#include "core/error.h"
#include "core/outcome.h"

namespace tailwave {
namespace {

// Of a template that the host compiler refuses and NVRTC takes.
Built unavailable(const Tools& tools, const std::string& log) {
  return {.artifact = {},
          .outcome = Outcome::unavailable,
          .detail = fmt::format("{}{} (docs/cpu_device.md); {} takes it\n{}", kCpuDeviceLacks,
                                lacking_on_cpu(log), tools.planner->version(), log)};
}

std::string refusal_of(const Tools& tools, const std::string& detail) {
  const std::string gpu = tools.occupancy_device ? tools.occupancy_device->name : "the planned GPU";
  return fmt::format("{} does not compile it for {}:\n{}", tools.planner->version(), gpu, detail);
}

}  // namespace

Built build_with(Compiler& compiler, const BuildRequest& request) {
  Built built;
  try {
    built.artifact = compiler.build(request);
  } catch (const Failure& failure) {
    built.outcome = failure.outcome();
    built.detail = failure.what();
  }
  return built;
}

Built build_configuration(const System& system, const Configuration& configuration, const Tools& tools,
                          double deadline_s) {
  return build_configuration({&system, system.find_variant(configuration.variant), configuration, deadline_s},
                             tools);
}

Built build_configuration(const BuildRequest& request, const Tools& tools) {
  Compiler& compiler = tools.compiler_of(*request.variant);
  if (const std::string obstacle = compiler.obstacle(); !obstacle.empty())
    throw Error(Diagnostic{.cause = obstacle,
                           .hint = "install one (Debian, Ubuntu: apt install g++), or name it with CXX"},
                Error::kRunFailed);
  Built built = build_with(compiler, request);
  const bool may_lack = built.outcome == Outcome::compile_error && tools.planner != nullptr &&
                        request.variant->target == VariantSpec::Target::cuda &&
                        !was_killed_from_outside(built.outcome, built.detail) && !has_code_for_cpu(request);
  if (may_lack)
    return build_with(*tools.planner, request).artifact ? unavailable(tools, built.detail) : built;
  const bool is_planned = built.artifact && request.variant->target == VariantSpec::Target::cuda &&
                          built.artifact->resources.empty() && tools.planner != nullptr;
  if (!is_planned) return built;
  Built planned = build_with(*tools.planner, request);
  if (!planned.artifact) {
    planned.detail = refusal_of(tools, planned.detail);
    return planned;
  }
  built.artifact->resources = std::move(planned.artifact->resources);
  return built;
}

}  // namespace tailwave
