#include "tune/builder.h"

namespace tailwave {

Built build_configuration(const System& system, const Configuration& configuration,
                          const Compilers& compilers) {
  const VariantSpec* variant = system.find_variant(configuration.variant);
  const BuildRequest request{&system, variant, configuration, compilers.deadline_s};
  const bool host = variant->target == VariantSpec::Target::host;
  Built built;
  try {
    built.artifact = (host ? compilers.host : compilers.kernels)->build(request);
    built.resources = built.artifact->resources;
  } catch (const Failure& failure) {
    built.artifact.reset();
    built.outcome = failure.outcome();
    built.detail = failure.what();
    return built;
  }
  if (!host && built.resources.empty() && compilers.planner != nullptr) {
    try {
      built.resources = compilers.planner->build(request).resources;
    } catch (const Failure&) {
      // What another target's compiler refuses has no occupancy there; the trial itself goes on.
      built.resources.clear();
    }
  }
  return built;
}

}  // namespace tailwave
