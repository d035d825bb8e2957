#include "tune/builder.h"

namespace tailwave {

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
  Built built = build_with(tools.compiler_of(*request.variant), request);
  const bool is_planned = built.artifact && request.variant->target == VariantSpec::Target::cuda &&
                          built.artifact->resources.empty() && tools.planner != nullptr;
  if (!is_planned) return built;
  // What another target's compiler refuses has no occupancy there; the trial itself goes on.
  if (const Built planned = build_with(*tools.planner, request); planned.artifact)
    built.artifact->resources = planned.artifact->resources;
  return built;
}

}  // namespace tailwave
